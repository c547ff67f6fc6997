import { join, resolve } from "node:path";
import { helpText, readArguments, welcome } from "./command-line.js";
import { startPlayground } from "./playground.js";
import { anyPorts } from "./ports.js";

// The longest a person should wait after Ctrl-C.
const MAX_STOP_MS = 4500;
// Errors that the operator can fix are printed without a stack.
const FIXABLE = /^(Argument|Locked|Folder|Demo|Config|Access|MasterKey|Database|Start)Error$/;
// The terminal and the package manager may both forward the same Ctrl-C.
const SAME_MS = 400;

const root = join(import.meta.dirname, "../../..");
const say = (text: string): void => void process.stdout.write(`${text}\n`);

// A closed terminal must not end the process before it has shut down.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  process.loadEnvFile(join(root, ".env"));
} catch {
  // The file is optional.
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
      report: say,
    });
    // The interruption may arrive during the start.
    const first = await Promise.race([starting, interrupted]);
    if (typeof first === "object") say(welcome(first, process.env.INIT_CWD || process.cwd()));
    await interrupted;
    say("\nStopping …");
    setTimeout(() => {
      say("Not everything stopped in time; the process was ended.");
      process.exit(0);
    }, MAX_STOP_MS).unref();
    await (await starting).stop();
    say("Stopped.");
    return 0;
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`${FIXABLE.test(name) ? message : (stack ?? message)}\n`);
    return 1;
  }
}

/** Waits for the first Ctrl-C, or for the terminal to close. A second Ctrl-C ends the process. */
function interruption(): Promise<"interrupted"> {
  return new Promise((done) => {
    let first: number | undefined;
    const interrupt = (): void => {
      first ??= performance.now();
      if (performance.now() - first > SAME_MS) process.exit(130);
      done("interrupted");
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
  });
}
