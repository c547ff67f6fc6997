// Runs the checks of smoke.mjs against the packed SDK, tokens and formatters in each runtime. Needs a build, and
// downloads the runtimes.
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@media-ops/testing/servers";
import { installPacked } from "../publish/install-packed.mjs";
import { byFile, inChromium, inWorkerd } from "./runtimes.mjs";
import { startServer } from "./server.mjs";
import { checkNames } from "./smoke.mjs";

// Pins all versions but Chromium's, which is a devDependency. A runtime must report `reports`, because another version
// may be installed. The first Node is the oldest supported.
const runtimes = [
  { name: "Node 20", start: byFile, package: "node@20.19.0", command: "node", reports: "20.19.0" },
  { name: "Node 22", start: byFile, package: "node@22.23.3", command: "node", reports: "22.23.3" },
  { name: "Node 24", start: byFile, package: "node@24.21.0", command: "node", reports: "24.21.0" },
  { name: "Node 26", start: byFile, package: "node@26.10.0", command: "node", reports: "26.10.0" },
  { name: "Bun", start: byFile, package: "bun@1.4.5", command: "bun", args: ["--no-install"], reports: "1.4.5" },
  {
    name: "Deno",
    start: byFile,
    package: "deno@2.9.6",
    command: "deno",
    // The permissions that the SDK needs, and one for the input of the checks.
    args: [
      ...["run", "--no-prompt", "--allow-net=127.0.0.1", "--allow-env=SMOKE_INPUT"],
      ...["--node-modules-dir=manual", "--cached-only", "--no-remote"],
    ],
    reports: "2.9.6",
  },
  {
    name: "workerd",
    start: inWorkerd,
    package: "workerd@1.20261117.1",
    command: "workerd",
    reports: "2026-11-17",
    // workerd leaves compression to the proxies in front of it.
    gzip: false,
  },
  { name: "Chromium", start: inChromium, browser: true, reports: "153." },
];

// The number of cores of the smallest machines.
const AT_ONCE = 2;

const folder = await mkdtemp(join(tmpdir(), "media-ops-runtimes-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    console.error(`The runtimes were not tested: stopped by ${signal}.`);
    process.exit(1);
  });
}

// Our packages as they would be published, with the checks.
const consumer = join(folder, "consumer");
await installPacked(
  ["packages/contract", "packages/sdk", "packages/tokens", "packages/reports", "packages/formatters"],
  consumer,
);
for (const file of ["smoke.mjs", "entry-process.mjs"]) await cp(join(import.meta.dirname, file), join(consumer, file));
const server = await startServer(join(consumer, "page.mjs"));
const deadUrl = `http://127.0.0.1:${await freePort()}`;
const waiting = [...runtimes];
let passed = 0;
const work = async () => {
  for (let runtime = waiting.shift(); runtime; runtime = waiting.shift()) {
    if (await test(runtime)) passed++;
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
await server.close();
console.log(`${passed} of ${runtimes.length} runtimes passed.`);
process.exitCode = passed === runtimes.length ? 0 : 1;

/** Tests one runtime and prints its line. */
async function test(runtime) {
  const { name, browser = false } = runtime;
  const id = name.toLowerCase().replace(" ", "-");
  const home = join(folder, id);
  await mkdir(home);
  const { visitor, ...service } = server.open(id);
  const input = { ...service, deadUrl, browser };
  try {
    const { version, checks } = await runtime.start(runtime, input, { consumer, home, pageUrl: server.pageUrl });
    const all = [...checks, ...missing(checks), ...seenByServer(runtime, version, visitor)];
    const failed = all.filter(({ ok }) => !ok);
    print(name, version, `${all.length} checks`, failed.length === 0 ? "ok" : `${failed.length} failed`);
    for (const check of failed) console.log(`  ${check.name}: ${check.detail}`);
    return failed.length === 0;
  } catch (error) {
    print(name, "-", "0 checks", `did not run: ${error.message}`);
    return false;
  }
}

function missing(checks) {
  const names = new Set(checks.map(({ name }) => name));
  return checkNames.filter((name) => !names.has(name)).map((name) => ({ name, ok: false, detail: "did not run" }));
}

/** Returns the checks of the requests that the server received. */
function seenByServer({ reports, browser, gzip = true }, version, { counts, userAgents, gzipped }) {
  const agents = [...userAgents].join(", ");
  const ours = [...userAgents].filter((agent) => agent?.startsWith("media-ops-sdk/")).length;
  const expected = { "refuse-401": 1, flaky: 2, mute: 1, silent: 2, "cut-off": 1 };
  const wrong = Object.keys(expected).filter((fault) => counts[fault] !== expected[fault]);
  return [
    {
      name: "is the version asked for",
      ok: version.startsWith(reports),
      detail: `it reports ${version}, not ${reports}`,
    },
    {
      name: "names itself, but not in a browser",
      ok: userAgents.size > 0 && ours === (browser ? 0 : userAgents.size),
      detail: `it sent "${agents}"`,
    },
    { name: "sends no call more or less", ok: wrong.length === 0, detail: `${wrong}: ${JSON.stringify(counts)}` },
    { name: "asks for gzip", ok: gzipped === gzip, detail: `it did${gzipped ? "" : " not"}` },
  ];
}

function print(name, version, count, outcome) {
  console.log(`${name.padEnd(10)}${version.padEnd(18)}${count.padEnd(12)}${outcome}`);
}
