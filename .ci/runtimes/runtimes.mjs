import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { DOWNLOAD_MS, downloadEnv, run, start } from "./processes.mjs";

const here = dirname(fileURLToPath(import.meta.url));

const RUN_MS = 120_000;

/** A runtime that is given a file to run. */
export async function byFile({ package: name, command, args = [] }, input, { consumer, home, signal }) {
  const program = await download(name, command, consumer, signal);
  return resultOf(await run(program, [...args, "entry-process.mjs"], runOptions(consumer, home, signal, input)));
}

/** Chromium, which is driven by a program of ours. */
export async function inChromium(_, input, { consumer, home, pageUrl, signal }) {
  bundle("page", consumer);
  const options = runOptions(consumer, home, signal, { ...input, pageUrl });
  return resultOf(await run(process.execPath, [join(here, "chromium.mjs")], options));
}

/** workerd, which waits for a request. */
export async function inWorkerd({ package: name, command }, input, { consumer, home, signal }) {
  const program = await download(name, command, consumer, signal);
  const options = runOptions(consumer, home, signal);
  const version = (await run(program, ["--version"], options)).replace("workerd", "").trim();
  bundle("worker", consumer);
  const config = join(consumer, "workerd.capnp");
  await writeFile(config, workerdConfig);
  // With 1, what it listens on is told on stdout.
  const server = start(program, ["serve", config, "--control-fd=1"], options);
  try {
    const port = await Promise.race([listeningPort(server), failEarly(server)]);
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      body: JSON.stringify(input),
      signal: server.signal,
    });
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${server.output.stderr.trim()}`);
    return { version, checks: await response.json() };
  } finally {
    await server.end();
  }
}

/** Gives the path of a program from the npm registry; it is downloaded unless npm has it already. */
async function download(name, command, cwd, signal) {
  const options = { cwd, env: downloadEnv(), signal, timeoutMs: DOWNLOAD_MS };
  try {
    return (await run("npx", ["-y", "-p", name, "-c", `command -v ${command}`], options)).trim();
  } catch (cause) {
    throw new Error(`${name} was not to be had: ${cause.message}`, { cause });
  }
}

/** Puts a way in, the checks and the SDK into one file, for the runtimes that do not look into node_modules. */
function bundle(name, folder) {
  buildSync({
    absWorkingDir: folder,
    entryPoints: [`entry-${name}.mjs`],
    outfile: `${name}.mjs`,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    platform: "browser",
    target: "es2022",
  });
}

/** The least of an environment: no proxies, no settings, and a home that is thrown away. */
function runOptions(cwd, home, signal, input) {
  const { PATH } = process.env;
  return {
    cwd,
    env: {
      PATH,
      HOME: home,
      TMPDIR: home,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      SMOKE_INPUT: JSON.stringify(input),
    },
    signal,
    timeoutMs: RUN_MS,
  };
}

/** A result is the last line that a program writes. */
function resultOf(stdout) {
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

// Workers may reach nothing but public addresses unless they are told what else; this one may reach this machine only.
// Nor does it get Node's globals, so that the SDK cannot use one unseen.
const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "smoke", worker = .smoke),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "smoke")],
);

const smoke :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["no_nodejs_compat_v2"],
);
`;

async function listeningPort({ stdout, output }) {
  for (;;) {
    const line = output.stdout.split("\n").find((line) => line.includes('"listen"') && line.endsWith("}"));
    if (line) return JSON.parse(line).port;
    await new Promise((resolve) => stdout.once("data", resolve));
  }
}

async function failEarly({ ended, output, signal }) {
  const code = await ended;
  signal.throwIfAborted();
  throw new Error(`it ended with ${code}: ${output.stderr.trim()}`);
}
