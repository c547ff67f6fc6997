import { EventEmitter, once } from "node:events";
import { createVault } from "@media-ops/secrets";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandLine, serve, startReceiver } from "../cli/test/command-line.js";
import { shareOpenFiles } from "../config/share-open-files.js";
import { createLog } from "../log.js";
import type { NewEntry } from "../logs/log-store.js";
import type { DatabaseChanges } from "../public-listener.js";
import { callWithin, pathOf, testConfig } from "../test/harness.js";
import { PublicThread } from "./public-thread.js";
import { EntryPort } from "./thread-calls.js";

/** The service with a project, as `media-ops serve` runs it. */
async function serveDemo() {
  const made = await commandLine({ MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_TOKENS_PER_MINUTE: "0" });
  const { api_key: key } = await made.json("projects", "create", "demo");
  const running = await serve(made.options);
  const call = (path: string) => callWithin(running.url, path, { key });
  return { ...made, ...running, call };
}

describe("media-ops serve, with the public listener in a thread of its own", () => {
  it("lists earlier calls in the API log, shows the metrics of both threads, and loses no entry when stopped", async () => {
    const { call, internalUrl, child, inDatabase } = await serveDemo();
    for (let n = 0; n < 20; n++) await call(pathOf.createAccessToken);
    await expect
      .poll(async () => JSON.stringify((await call(pathOf.listApiLogs)).body).split(pathOf.createAccessToken))
      .toHaveLength(21);
    let metrics = "";
    // A thread that is too busy to answer in time shows its last metrics.
    await expect
      .poll(async () => {
        metrics = await (await fetch(`${internalUrl}/metrics`)).text();
        return metrics;
      })
      .toContain(`media_answers_total{path="${pathOf.createAccessToken}",status="200"} 20`);
    expect(metrics).toContain("media_log_entries_waiting");
    expect(metrics).toContain("media_public_nodejs_eventloop_lag_p99_seconds");
    const described = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(described).toEqual([...new Set(described)]);
    expect(await call(pathOf.listLiveChannels)).toMatchObject({ status: 200, body: { channels: [] } });

    let answered = 0;
    const calling = Array.from({ length: 10 }, async () => {
      for (;;) {
        const isAnswered = await call(pathOf.createAccessToken).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (!isAnswered) return;
        answered += 1;
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(50);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    await Promise.all(calling);
    expect(code).toBe(0);
    const entries = await inDatabase(({ query }) => query.selectFrom("log_entry").select("entry").execute());
    expect(entries.filter(({ entry }) => entry.includes('"status":200')).length).toBeGreaterThanOrEqual(answered);
  });

  it("exits with 1 and the next step if a port is taken", async () => {
    const { url } = await startReceiver();
    const { port } = new URL(url);
    await Promise.all(
      ["MEDIA_PORT", "MEDIA_INTAKE_PORT"].map(async (setting) => {
        const { runProgram } = await commandLine({ [setting]: port });
        expect(await runProgram("serve")).toMatchObject({
          code: 1,
          stderr: `127.0.0.1:${port} is taken. Set ${setting} to another port, or stop what has it.\n`,
        });
      }),
    );
  });
});

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

const vault = createVault(new Uint8Array(32).fill(7));

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
  const openFiles = shareOpenFiles(4096, parts.config);
  return {
    recorded,
    changes,
    start: () => thread.start({ writer, openFiles, changes, vault, write: async () => [] }),
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
