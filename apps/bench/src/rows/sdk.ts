import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build as bundle } from "esbuild";
import { listings, tokenPath, webhookEntries } from "../harness/entries.js";
import { compare, type Result, type Row, ratioAtMost } from "../harness/report.js";
import { type Sandbox, startFloor, withSandbox } from "../harness/sandbox.js";
import { takeTurns } from "../harness/turns.js";
import { type ClientProgram, floors, peers, sdkSource } from "./sdk-clients.js";

const row = "sdk";
const goals = { "fetch and JSON.parse": ratioAtMost(1.05) };
const operations = [
  { name: "listing of 1000 entries", operation: "listing", warmUp: 300, calls: 30 },
  { name: "token", operation: "mint", warmUp: 1500, calls: 150 },
];

/** Measures the cost of a call with the SDK, and its bundle size, compared with `fetch` alone and other clients. */
export const sdk: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const ours = builds.map(({ name, folder }): Client => {
      return { name, source: sdkSource, sdkFile: join(folder, "packages/sdk/dist/index.js") };
    });
    const { url } = await startFloor(sandbox, "bytes", { responses });
    const callers: { name: string; child: ChildProcess }[] = [];
    let expected: unknown;
    for (const client of [...ours, ...floors, ...peers]) {
      const outfile = join(sandbox.folder, `client-${callers.length}.mjs`);
      await bundle({ ...bundleOptions(client), platform: "node", outfile, banner: { js: REQUIRE } });
      const { child, answers } = await startCaller(sandbox, outfile, url);
      expected ??= answers;
      assert.deepEqual(answers, expected, `${client.name} has the same answers`);
      callers.push({ name: client.name, child });
    }
    const results: Result[] = [];
    for (const { name, operation, warmUp, calls } of operations) {
      const turns = (turn: { warmUp: number; calls: number }) =>
        callers.map((caller) => ({ name: caller.name, turn: () => take(caller.child, { operation, ...turn }) }));
      await takeTurns(turns({ warmUp: isQuick ? 1 : warmUp, calls: 1 }), 1);
      // Warms up again, because a caller is slower after waiting for its turn.
      const times = await takeTurns(turns({ warmUp: calls / 5, calls }), isQuick ? 1 : 15);
      results.push(...compare({ row, measure: `${name}, µs`, goals }, times));
    }
    return [...results, ...(await bundleSizes([...ours, ...peers]))];
  });

/** A client program, with a build's SDK if it uses the SDK. */
type Client = ClientProgram & { readonly sdkFile?: string };

const token = { access_token: `e30.${"x".repeat(250)}.${"y".repeat(43)}` };
const responses = {
  [listings.webhooks]: responseOf(webhookEntries(1000, Date.UTC(2026, 3, 1))),
  [tokenPath]: responseOf(token),
};

function responseOf(value: unknown) {
  const text = JSON.stringify(value);
  const headers = { "content-type": "application/json; charset=UTF-8", "content-length": Buffer.byteLength(text) };
  return { headers, base64: Buffer.from(text).toString("base64") };
}

// Bundled CommonJS packages call `require` for Node's built-in modules.
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

const bundleOptions = ({ source, sdkFile }: Client): BuildOptions => ({
  stdin: { contents: source, resolveDir: import.meta.dirname, loader: "js" },
  ...(sdkFile && { alias: { "@media-ops/sdk": sdkFile } }),
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
});

async function startCaller({ adopt }: Sandbox, module: string, baseUrl: string) {
  const child = adopt(fork(new URL("../sdk-caller.js", import.meta.url), [pathToFileURL(module).href, baseUrl]));
  const [answers] = await once(child, "message");
  return { child, answers };
}

/** Returns the microseconds of one call. */
async function take(child: ChildProcess, turn: object): Promise<number> {
  const answered = once(child, "message");
  child.send(turn);
  return (await answered)[0];
}

/** Returns the size of a program that lists and mints, for browsers and edge workers. */
async function bundleSizes(clients: readonly Client[]): Promise<Result[]> {
  const sizes = clients.map(async (client) => {
    const { outputFiles } = await bundle({ ...bundleOptions(client), platform: "browser", minify: true, write: false });
    return { name: client.name, rounds: outputFiles.map(({ contents }) => gzipSync(contents).length) };
  });
  const measure = "program that lists and mints, minified and gzipped, bytes";
  return compare({ row, measure }, await Promise.all(sizes));
}
