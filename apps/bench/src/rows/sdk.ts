import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { listings, tokenPath, webhookEntries } from "../entries.js";
import { compare, goal, type Result, type Row, takeTurns } from "../measure.js";
import { moduleOf, startFloor, withSandbox } from "../programs.js";

const FLOOR = "fetch and JSON.parse";
const ratio = goal("ratio", "≤", 1.05);
const CALLER = fileURLToPath(new URL("../sdk-caller.js", import.meta.url));
const operations = [
  { name: "listing of 1000 entries", operation: "listing", warmUp: 300, calls: 30 },
  { name: "token", operation: "mint", warmUp: 1500, calls: 150 },
];

/** Measures the cost of a call with the SDK compared with `fetch` alone. */
export const sdk: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const { url } = await startFloor(sandbox, "bytes", { responses });
    const callers: { name: string; child: ChildProcess }[] = [];
    let expected: unknown;
    const [ours] = builds;
    const clients = [...builds.map((build) => ({ ...build, build })), { name: FLOOR, build: ours }];
    for (const { name, build } of clients) {
      const outfile = join(sandbox.folder, `client-${callers.length}.mjs`);
      await bundle({
        entryPoints: [CALLER],
        alias: { "@media-ops/sdk": await moduleOf(build, "sdk") },
        bundle: true,
        format: "esm",
        platform: "node",
        target: "es2022",
        logLevel: "warning",
        outfile,
      });
      const child = sandbox.adopt(fork(outfile, [name === FLOOR ? "fetch" : "sdk", url]));
      const [answers] = await once(child, "message");
      expected ??= answers;
      assert.deepEqual(answers, expected, `${name} has the same answers`);
      callers.push({ name, child });
    }
    const results: Result[] = [];
    for (const { name, operation, warmUp, calls } of operations) {
      const turns = (turn: { warmUp: number; calls: number }) =>
        callers.map((caller) => ({ name: caller.name, turn: () => take(caller.child, { operation, ...turn }) }));
      await takeTurns(turns({ warmUp: isQuick ? 1 : warmUp, calls: 1 }), 1);
      // Warms up again, because a caller is slower after waiting for its turn.
      const times = await takeTurns(turns({ warmUp: calls / 5, calls }), isQuick ? 1 : 15);
      results.push(...compare({ measure: `${name}, µs`, goal: ratio }, times));
    }
    return results;
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

/** Returns the microseconds of one call. */
async function take(child: ChildProcess, turn: object): Promise<number> {
  const answered = once(child, "message");
  child.send(turn);
  return (await answered)[0];
}
