import { runProgram } from "@media-ops/settings/process";

await runProgram(async () => {
  const { runCli } = await import("./cli/run.js");
  return runCli(process.argv.slice(2), {
    env: process.env,
    now: Date.now,
    write: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
  });
});
