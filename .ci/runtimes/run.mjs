// Runs the checks of smoke.mjs against the packed SDK, tokens and formatters in each runtime. Needs a build, and downloads the runtimes.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeConsumer } from "./consumer.mjs";
import { byFile, inChromium, inWorkerd } from "./runtimes.mjs";
import { findDeadUrl, startServer } from "./server.mjs";
import { checkNames } from "./smoke.mjs";

// Every version stands here, but for Chromium's, which is a devDependency. `reports` is what the runtime must say of
// itself, so that no other one which happens to be installed is taken for it. The first Node is the oldest supported.
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
    // The rights that the SDK needs, and one for the checks' own input.
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
    // It leaves compression to the servers in front of it.
    gzip: false,
  },
  { name: "Chromium", start: inChromium, browser: true, reports: "153." },
];

// As many as the smallest machines have cores.
const AT_ONCE = 2;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

// Whoever reads this may be gone before the end; what was started must be ended all the same.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const folder = await mkdtemp(join(tmpdir(), "media-ops-runtimes-"));
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(`The runtimes were not tested: ${error.message}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function main() {
  const consumer = join(folder, "consumer");
  await mkdir(consumer);
  await makeConsumer(consumer, stop.signal);
  const server = await startServer(join(consumer, "page.mjs"));
  const deadUrl = await findDeadUrl();
  try {
    const waiting = [...runtimes];
    let passed = 0;
    const work = async () => {
      for (let runtime = waiting.shift(); runtime && !stop.signal.aborted; runtime = waiting.shift()) {
        if (await test(runtime, { server, consumer, deadUrl })) passed++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    console.log(`${passed} of ${runtimes.length} runtimes passed.`);
    return passed === runtimes.length;
  } finally {
    await server.close();
  }
}

/** Tests one runtime and prints its line. */
async function test(runtime, { server, consumer, deadUrl }) {
  const { name, browser = false } = runtime;
  const id = name.toLowerCase().replace(" ", "-");
  const home = join(folder, id);
  await mkdir(home);
  const { visitor, ...service } = server.open(id);
  const input = { ...service, deadUrl, browser };
  try {
    const place = { consumer, home, pageUrl: server.pageUrl, signal: stop.signal };
    const { version, checks } = await runtime.start(runtime, input, place);
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

/** What only the other end of the wire can tell. */
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
