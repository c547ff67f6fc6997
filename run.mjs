// node run.mjs <folder> …: builds a program and its dependencies if they have changed, and runs it. Plain JavaScript,
// because nothing is built yet.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const isTerminal = process.stderr.isTTY === true;
// The limit for a build that does not stop on a signal.
const MAX_END_MS = 2000;

// Hides the program's own folder from its arguments.
const [folder = ""] = process.argv.splice(2, 1);
const exitCode = await build(JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).name);
if (exitCode === 0) await import(pathToFileURL(join(root, folder, "dist/main.js")).href);
else process.exitCode = exitCode;

/**
 * Builds a program. Reports progress on standard error, because standard output belongs to the program. Returns the
 * exit code.
 *
 * @param {string} name
 * @returns {Promise<number>}
 */
async function build(name) {
  // Not through node_modules/.bin, which differs between systems.
  const turbo = createRequire(join(root, "package.json")).resolve("turbo/bin/turbo");
  const args = ["run", "build", `--filter=${name}...`, "--output-logs=new-only"];
  const child = spawn(process.execPath, [turbo, ...args, "--ui=stream", "--log-order=stream", "--no-color"], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1", FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let isInterrupted = false;
  /** @param {NodeJS.Signals} signal */
  const interrupt = (signal) => {
    isInterrupted = true;
    child.kill(signal);
    setTimeout(() => child.kill("SIGKILL"), MAX_END_MS).unref();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);

  const progress = createProgress();
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", progress.read);
  /** @type {number | null} */
  const code = await new Promise((resolve) => {
    child.on("error", (error) => {
      progress.read(error.message);
      resolve(1);
    });
    child.on("close", resolve);
  });
  process.off("SIGINT", interrupt);
  process.off("SIGTERM", interrupt);
  progress.clear();
  if (isInterrupted) return 130;
  if (code !== 0) process.stderr.write(progress.whatFailed());
  return code ?? 1;
}

/** Parses turbo's output. Keeps unrecognized lines to show them if the build fails. */
function createProgress() {
  let total = "?";
  let begun = 0;
  /** @type {Map<string, string[]>} */
  const lines = new Map();
  /** @type {Set<string>} */
  const failed = new Set();

  /** @param {string} text */
  const show = (text) => {
    if (!isTerminal) process.stderr.write(`${text}\n`);
    else process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns || 80) - 1)}`);
  };

  return {
    /** @param {string} line */
    read(line) {
      total = /Running build in (\d+) packages/.exec(line)?.[1] ?? total;
      const task = /^(\S+?)[:#]build: ?(.*)$/.exec(line);
      const [name, text] = task ? [task[1] ?? "", task[2] ?? ""] : ["", line];
      if (/^\s*ERROR\b/.test(text) && name !== "") failed.add(name);
      if (!/^cache (hit|miss|bypass)/.test(text)) {
        lines.set(name, [...(lines.get(name) ?? []), text]);
        return;
      }
      begun++;
      // Cached builds are not shown.
      if (!text.startsWith("cache hit")) show(`Building ${begun} of ${total}: ${name.replace(/^@[^/]+\//, "")}`);
    },
    clear() {
      if (isTerminal) process.stderr.write("\r\x1b[2K");
    },
    whatFailed() {
      const names = failed.size > 0 ? [...failed] : [""];
      const shown = names.map((name) => `${name}\n${(lines.get(name) ?? []).join("\n")}\n`);
      return `The build has failed:\n\n${shown.join("\n").trim()}\n`;
    },
  };
}
