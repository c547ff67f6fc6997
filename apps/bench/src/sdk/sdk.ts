import assert from "node:assert/strict";
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { createMediaClient, type paths } from "@media-ops/sdk";
import createClient from "openapi-fetch";
import { type Contestant, quantile, race } from "../measure.js";
import type { Result } from "../report.js";

const GOAL = 1.05;
const apiKey = "mo_bench_notAKey";

/** What the SDK costs over `fetch` and `JSON.parse` alone. */
export async function benchSdk(): Promise<Result[]> {
  const server = fork(new URL("bare-answers.js", import.meta.url));
  try {
    const [port] = await once(server, "message");
    const baseUrl = `http://127.0.0.1:${port}`;
    return [...(await calls(baseUrl)), ...(await imports())];
  } finally {
    await end(server);
  }
}

async function calls(baseUrl: string): Promise<Result[]> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const client = createMediaClient({ baseUrl, apiKey });
  const peer = createClient<paths>({ baseUrl, headers });
  const bare =
    (path: string): Contestant =>
    async () =>
      JSON.parse(await (await fetch(baseUrl + path, { method: "POST", headers, body: "{}" })).text());

  const results: Result[] = [];
  for (const [measure, path, ours, rounds, perRound] of [
    ["listing of 1000 entries, µs", "/orgs/list-webhook-logs", () => client.logs.webhooks(), 100, 20],
    ["token, µs", "/projects/create-access-token", () => client.tokens.create(), 150, 50],
  ] as const) {
    const contestants = {
      "fetch and JSON.parse": bare(path),
      "@media-ops/sdk": ours,
      "openapi-fetch": async () => (await peer.POST(path, { body: {} })).data,
    };
    const answer = await contestants["fetch and JSON.parse"]();
    for (const contestant of Object.values(contestants)) assert.deepEqual(await contestant(), answer);
    const measured = await race(contestants, { rounds, calls: perRound, warmUp: 300 });
    const { "@media-ops/sdk": sdk, "openapi-fetch": other, "fetch and JSON.parse": floor } = measured;
    const [low, high] = sdk.spread;
    results.push(
      {
        name: "sdk",
        measure,
        against: "fetch and JSON.parse",
        ours: sdk.us,
        theirs: floor.us,
        ratio: sdk.ratio,
        goal: `≤ ${GOAL}`,
        met: sdk.ratio <= GOAL,
        note: `middle half ${low.toFixed(2)}–${high.toFixed(2)}`,
      },
      {
        name: "sdk",
        measure,
        against: "openapi-fetch",
        ours: sdk.us,
        theirs: other.us,
        ratio: sdk.us / other.us,
        goal: null,
        met: null,
        note: `itself ${other.ratio.toFixed(2)} × fetch and JSON.parse`,
      },
    );
  }
  return results;
}

/** How long a program waits for the import, beside one that imports openapi-fetch alone. */
async function imports(): Promise<Result[]> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < 15; round++) {
    times.ours.push(await importMs("@media-ops/sdk"));
    times.theirs.push(await importMs("openapi-fetch"));
  }
  const [ours, theirs] = [quantile(times.ours, 0.5), quantile(times.theirs, 0.5)];
  const note = "in a process of its own, 15 times each, by turns";
  return [
    {
      name: "sdk",
      measure: "import, ms",
      against: "openapi-fetch",
      ours,
      theirs,
      ratio: ours / theirs,
      goal: null,
      met: null,
      note,
    },
  ];
}

async function importMs(name: string): Promise<number> {
  const url = JSON.stringify(import.meta.resolve(name));
  const script = `const started = performance.now(); await import(${url}); console.log(performance.now() - started);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return Number(stdout);
}

async function end(child: ChildProcess): Promise<void> {
  child.disconnect();
  if (child.exitCode === null) await once(child, "exit");
}
