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
  const { runCommandLine } = await import("./command-line.js");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
