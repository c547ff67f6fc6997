import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build as bundle } from "esbuild";
import { listings, tokenPath, webhookEntries } from "../entries.js";
import { compare, oursAtMost, type Result, type Row, ratioAtMost, takeTurns } from "../measure.js";
import { moduleOf, type Sandbox, startFloor, withSandbox } from "../programs.js";

const row = "sdk";
const FLOOR = "fetch and JSON.parse";
const goals = { [FLOOR]: ratioAtMost(1.05) };
const operations = [
  { name: "listing of 1000 entries", operation: "listing", warmUp: 300, calls: 30 },
  { name: "token", operation: "mint", warmUp: 1500, calls: 150 },
];

/** The functions that a client program creates. */
export type CreateCalls = (baseUrl: string, apiKey: string) => Record<"listing" | "mint", () => Promise<unknown>>;

/** A program that lists and mints: a module that exports `createCalls`. */
interface Client {
  readonly name: string;
  readonly source: string;
  /** The build's SDK, if the program uses one. */
  readonly sdkFile?: string;
}

const SDK_SOURCE = `
  import { createMediaClient } from "@media-ops/sdk";
  export const createCalls = (baseUrl, apiKey) => {
    const client = createMediaClient({ baseUrl, apiKey });
    return { listing: () => client.logs.webhooks(), mint: () => client.tokens.create() };
  };`;

const FLOOR_SOURCE = `
  export const createCalls = (baseUrl, apiKey) => {
    const headers = { authorization: "Bearer " + apiKey, "content-type": "application/json" };
    const call = async (path) =>
      JSON.parse(await (await fetch(baseUrl + path, { method: "POST", headers, body: "{}" })).text());
    return { listing: () => call("${listings.webhooks}"), mint: () => call("${tokenPath}") };
  };`;

/** Measures the cost of a call with the SDK compared with `fetch` alone, and the size of a program with it. */
export const sdk: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const ours: Client[] = [];
    for (const build of builds) {
      ours.push({ name: build.name, source: SDK_SOURCE, sdkFile: await moduleOf(build, "sdk") });
    }
    const { url } = await startFloor(sandbox, "bytes", { responses });
    const callers: { name: string; child: ChildProcess }[] = [];
    let expected: unknown;
    for (const client of [...ours, { name: FLOOR, source: FLOOR_SOURCE }]) {
      const outfile = join(sandbox.folder, `client-${callers.length}.mjs`);
      await bundle({ ...bundleOptions(client), platform: "node", outfile });
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
    const sizes = await Promise.all(
      ours.map(async (client) => ({ name: client.name, rounds: [await sizeOf(client)] })),
    );
    const measure = "program that lists and mints, minified and gzipped, bytes";
    return [...results, ...compare({ row, measure, goal: oursAtMost(9000) }, sizes)];
  });

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

/** Returns the gzipped bytes of a program for browsers and edge workers. */
async function sizeOf(client: Client): Promise<number> {
  const options = { ...bundleOptions(client), platform: "browser", minify: true, write: false } as const;
  const { outputFiles } = await bundle(options);
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}
