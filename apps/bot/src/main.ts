import { runProgram } from "@media-ops/settings/process";

await runProgram(async () => {
  const { runCommandLine } = await import("./command-line.js");
  return runCommandLine(process.argv.slice(2));
});
