import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildSync } from "esbuild";
import { DOWNLOAD_MS, downloadEnv, run, start } from "../processes.mjs";

const RUN_MS = 120_000;

/** Runs the checks in Node, Bun or Deno, which run a file. */
export async function byFile({ package: name, command, args = [] }, input, { consumer, home }) {
  const program = await download(name, command, consumer);
  return resultOf(await run(program, [...args, "entry-process.mjs"], optionsOf(consumer, home, input)));
}

/** Runs the checks in Chromium, driven by chromium.mjs. */
export async function inChromium(_, input, { consumer, home, pageUrl }) {
  bundle("page.mjs", 'import { smoke } from "./smoke.mjs"; globalThis.smoke = smoke;', consumer);
  const options = optionsOf(consumer, home, { ...input, pageUrl });
  return resultOf(await run(process.execPath, [join(import.meta.dirname, "chromium.mjs")], options));
}

const WORKER = `
  import { smoke } from "./smoke.mjs";
  export default { fetch: async (request) => Response.json(await smoke(await request.json())) };
`;

/** Runs the checks in workerd, which runs code when a request arrives. */
export async function inWorkerd({ package: name, command }, input, { consumer, home }) {
  const program = await download(name, command, consumer);
  const options = optionsOf(consumer, home);
  const version = (await run(program, ["--version"], options)).replace("workerd", "").trim();
  bundle("worker.mjs", WORKER, consumer);
  const config = join(consumer, "workerd.capnp");
  await writeFile(config, workerdConfig);
  // With 1, workerd prints its port on stdout.
  const server = start(program, ["serve", config, "--control-fd=1"], options);
  try {
    const response = await fetch(`http://127.0.0.1:${await listeningPort(server)}`, {
      method: "POST",
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(RUN_MS),
    });
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${server.output.stderr.trim()}`);
    return { version, checks: await response.json() };
  } finally {
    await server.stop("SIGTERM");
  }
}

/** Returns the path of a program from the npm registry. Downloads it unless npm has it cached. */
async function download(name, command, cwd) {
  const options = { cwd, env: downloadEnv(), timeoutMs: DOWNLOAD_MS };
  return (await run("npx", ["-y", "-p", name, "-c", `command -v ${command}`], options)).trim();
}

/** Bundles code with the checks and our packages, for runtimes that don't read node_modules. */
function bundle(outfile, contents, folder) {
  buildSync({
    absWorkingDir: folder,
    stdin: { contents, resolveDir: folder },
    outfile,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    platform: "browser",
    target: "es2022",
  });
}

/** Returns a minimal environment: no proxies, no settings, and a temporary home. */
function optionsOf(cwd, home, input) {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  return { cwd, env: { ...env, SMOKE_INPUT: JSON.stringify(input) }, timeoutMs: RUN_MS };
}

/** Parses the last line of a program's output. */
const resultOf = (stdout) => JSON.parse(stdout.trim().split("\n").at(-1));

// By default, workers reach public addresses only. This one reaches only this machine. It has no Node globals, so that
// the SDK cannot depend on one unnoticed.
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

async function listeningPort({ output, ended }) {
  for (const deadline = Date.now() + RUN_MS; Date.now() < deadline; ) {
    const line = output.stdout.split("\n").find((one) => one.includes('"listen"') && one.endsWith("}"));
    if (line) return JSON.parse(line).port;
    const code = await Promise.race([ended, setTimeout(20)]);
    if (code !== undefined) throw new Error(`workerd ended with ${code}: ${output.stderr.trim()}`);
  }
  throw new Error(`workerd did not listen within ${RUN_MS / 1000} s: ${output.stderr.trim()}`);
}
