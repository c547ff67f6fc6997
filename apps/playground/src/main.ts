import { join, resolve } from "node:path";
import { helpText, readArguments, welcome } from "./command-line.js";
import { startPlayground } from "./playground.js";
import { anyPorts } from "./ports.js";

// Whoever has pressed Ctrl-C waits no longer.
const MAX_STOP_MS = 4500;
// What somebody who starts it can mend is told without a stack.
const mendable = [
  "ArgumentError",
  "LockedError",
  "FolderError",
  "DemoError",
  "ConfigError",
  "AccessError",
  "MasterKeyError",
  "DatabaseError",
  "StartError",
];
// The terminal and the package manager may both pass on the same Ctrl-C.
const SAME_MS = 400;

const root = join(import.meta.dirname, "../../..");
const say = (text: string): void => void process.stdout.write(`${text}\n`);

// Whoever reads no longer, such as a terminal that was closed, is no reason to end in the middle of something.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  process.loadEnvFile(join(root, ".env"));
} catch {
  // There need not be one.
}

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { fresh, port, help } = readArguments(process.argv.slice(2));
    if (help) {
      process.stdout.write(helpText);
      return 0;
    }
    const interrupted = interruption();
    const starting = startPlayground({
      folder: resolve(root, process.env.PLAYGROUND_DATA || ".data"),
      ports: { ...(process.env.PLAYGROUND_PORTS === "any" && anyPorts), ...(port !== undefined && { page: port }) },
      fresh,
      env: process.env,
      tell: say,
    });
    // It may come while all still starts.
    const first = await Promise.race([starting, interrupted]);
    if (typeof first === "object") say(welcome(first, process.env.INIT_CWD || process.cwd()));
    await interrupted;
    say("\nStopping …");
    setTimeout(cutOff, MAX_STOP_MS).unref();
    await (await starting).stop();
    say("All of it has ended.");
    return 0;
  } catch (error) {
    process.stderr.write(`${wordsFor(error)}\n`);
    return 1;
  }
}

/** Ends what should have ended by itself. */
function cutOff(): void {
  say("Something still ran, and was cut off.");
  process.exit(0);
}

/** Waits for the first Ctrl-C, or the end of the terminal; the second one ends the process. */
function interruption(): Promise<"interrupted"> {
  return new Promise((done) => {
    let first: number | undefined;
    const interrupt = (): void => {
      first ??= performance.now();
      if (performance.now() - first > SAME_MS) process.exit(130);
      done("interrupted");
    };
    process.on("SIGINT", interrupt);
    process.on("SIGTERM", interrupt);
    process.on("SIGHUP", interrupt);
  });
}

function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return mendable.includes(error.name) ? error.message : (error.stack ?? error.message);
}
