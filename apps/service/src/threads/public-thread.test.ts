import { EventEmitter } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLog } from "../log.js";
import type { NewEntry } from "../logs/log-store.js";
import type { DatabaseChanges } from "../public-listener.js";
import { testConfig } from "../test/harness.js";
import { PublicThread } from "./child-thread.js";
import { EntryPort } from "./thread-calls.js";

it("a listing waits for exactly the entries that were recorded before it", async () => {
  const seen: unknown[] = [];
  let settle = (): void => {};
  const entries = new EntryPort({
    call<Result>(name: string, argument: unknown) {
      seen.push(name === "entries" ? (argument as NewEntry[]).map(({ text }) => text) : `${name} ${argument}`);
      return new Promise<Result>((resolve) => {
        settle = () => resolve(undefined as Result);
      });
    },
  });
  const record = (text: string) => entries.record({ projectId: "demo", kind: "api", timestamp: "", text });
  record("a");
  record("b");
  let isSettled = false;
  const settled = entries.settled("api").then(() => {
    isSettled = true;
  });
  const answer = settle;
  record("c");
  await expect.poll(() => seen).toEqual([["a", "b"], "settled api", ["c"]]);
  expect(isSettled).toBe(false);
  answer();
  await settled;
});

/** A thread that runs a test's program instead, with the calls to and from the main thread. */
function threadOf(program: string) {
  const recorded: NewEntry[] = [];
  const writer = { record: (entry: NewEntry) => void recorded.push(entry), settled: async () => {} };
  const parts = { config: testConfig(), log: createLog({ level: "silent" }) };
  const changes: DatabaseChanges = new EventEmitter();
  const threadCalls = new URL("threads/thread-calls.js", import.meta.resolve("@media-ops/service"));
  const imports = `import { parentPort } from "node:worker_threads"; import { ThreadCalls } from "${threadCalls}";`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(imports + program)}`);
  const thread = new PublicThread(parts, undefined, url);
  onTestFinished(() => thread.stop());
  return {
    recorded,
    changes,
    start: () => thread.start({ writer, changes, write: async () => [] }),
  };
}

const entry = '{ projectId: "demo", kind: "api", timestamp: "2026-04-01T12:00:00Z", text: "{}" }';
const start = 'start: async () => "http://127.0.0.1:1", stop: async () => {}, metrics: async () => "calls 1"';
/** Runs after the start: Node may report the end of a thread before the last messages it sent. */
const afterStart = (work: string) =>
  `const calls = new ThreadCalls(parentPort, { ${start}, database: async () => { ${work} } });`;

describe("the public listener's thread", () => {
  it("that throws before it listens fails the start with its error", async () => {
    const { start } = threadOf('throw new Error("no such module");');
    await expect(start()).rejects.toThrow("no such module");
  });

  it("that throws while it runs is reported with its error, and its recorded entries are kept", async () => {
    const { start, recorded, changes } = threadOf(
      afterStart(`await calls.call("entries", [${entry}]); setImmediate(() => { throw new Error("a bug"); });`),
    );
    const listener = await start();
    changes.emit("change", undefined);
    expect((await listener.failed).message).toBe("a bug");
    await listener.stop();
    expect(recorded).toHaveLength(1);
  });

  it("that exits is reported with its exit code", async () => {
    const { start, changes } = threadOf(afterStart("process.exit(7);"));
    const listener = await start();
    changes.emit("change", undefined);
    expect((await listener.failed).message).toMatch(/ended by itself, with exit code 7/);
    const since = performance.now();
    await listener.stop();
    expect(performance.now() - since).toBeLessThan(3000);
  });

  it("that is too busy to answer shows its last metrics, within about a second", async () => {
    const { start, changes } = threadOf(afterStart("for (const end = Date.now() + 5000; Date.now() < end; );"));
    const listener = await start();
    expect(await listener.metrics()).toBe("calls 1");
    changes.emit("change", undefined);
    const since = performance.now();
    expect(await listener.metrics()).toBe("calls 1");
    expect(performance.now() - since).toBeGreaterThan(900);
  });
});
