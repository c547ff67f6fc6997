import { openFileLimit, openFilesFault } from "@media-ops/settings/process";

const fault = openFilesFault(openFileLimit());
if (fault === undefined) await run();
else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  try {
    process.loadEnvFile();
  } catch {
    // There need not be a file .env.
  }

  // Loaded only now: with too few open files, Node fails to load the modules, and does not say why.
  const { runCli } = await import("./cli/run.js");
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    now: Date.now,
    write: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
  });
}
