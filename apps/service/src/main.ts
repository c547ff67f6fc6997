import { endWith } from "@media-ops/settings";
import { runCli } from "./cli/run.js";

try {
  process.loadEnvFile();
} catch {
  // There need not be a file .env.
}

const exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
});
endWith(exitCode);
