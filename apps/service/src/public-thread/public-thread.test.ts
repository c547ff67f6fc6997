import { EventEmitter, once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { createVault } from "@media-ops/secrets";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandLine, serve, startReceiver } from "../cli/test/command-line.js";
import { shareOpenFiles } from "../config/share-open-files.js";
import { createLog } from "../log.js";
import type { NewEntry } from "../logs/log-store.js";
import type { DatabaseChanges } from "../public-listener.js";
import { callWithin, pathOf, testConfig } from "../test/harness.js";
import { EntryPort, type FromThread } from "./messages.js";
import { PublicThread } from "./public-thread.js";

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
  const { port1: main, port2: thread } = new MessageChannel();
  onTestFinished(() => main.close());
  const seen: string[] = [];
  main.on("message", (message: FromThread) => {
    if (message.type === "entries") seen.push(...message.entries.map(({ text }) => text));
    if (message.type === "settle") seen.push(`settle ${message.kind} ${message.id}`);
  });
  const entries = new EntryPort((message) => thread.postMessage(message));
  const record = (text: string) => entries.record({ projectId: "demo", kind: "api", timestamp: "", text });
  record("a");
  record("b");
  let isSettled = false;
  const settled = entries.settled("api").then(() => {
    isSettled = true;
  });
  record("c");
  await expect.poll(() => seen).toEqual(["a", "b", "settle api 1", "c"]);
  expect(isSettled).toBe(false);
  entries.onSettled(1);
  await settled;
});

const vault = createVault(new Uint8Array(32).fill(7));

/** A thread that runs a test's program instead. */
function threadOf(program: string) {
  const recorded: NewEntry[] = [];
  const writer = { record: (entry: NewEntry) => void recorded.push(entry), settled: async () => {} };
  const parts = { config: testConfig(), log: createLog({ level: "silent" }) };
  const changes: DatabaseChanges = new EventEmitter();
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const thread = new PublicThread(parts, undefined, url);
  onTestFinished(() => thread.stop());
  const openFiles = shareOpenFiles(4096, parts.config);
  return {
    thread,
    recorded,
    changes,
    start: () => thread.start({ writer, openFiles, changes, vault, write: async () => [] }),
  };
}

const entry = '{ projectId: "demo", kind: "api", timestamp: "2026-04-01T12:00:00Z", text: "{}" }';
const port = 'import { parentPort as port } from "node:worker_threads";';
const listening = 'port.postMessage({ type: "listening", url: "http://127.0.0.1:1" });';
/** Runs at the first message after the start: Node may report the end of a thread before the last messages it sent. */
const afterStart = (work: string) => `port.once("message", () => port.once("message", () => { ${work} }));`;

describe("the public listener's thread", () => {
  it("that throws before it listens fails the start with its error", async () => {
    const { start } = threadOf('throw new Error("no such module");');
    await expect(start()).rejects.toThrow("no such module");
  });

  it("that throws while it runs is reported with its error, and its recorded entries are kept", async () => {
    const { thread, start, recorded, changes } = threadOf(
      `${port} ${listening} ${afterStart(`
      port.postMessage({ type: "entries", entries: [${entry}] });
      throw new Error("a bug");`)}`,
    );
    await start();
    changes.emit("change", undefined);
    expect((await thread.failed).message).toBe("a bug");
    await thread.stop();
    expect(recorded).toHaveLength(1);
  });

  it("that exits is reported with its exit code", async () => {
    const { thread, start, changes } = threadOf(`${port} ${listening} ${afterStart("process.exit(7);")}`);
    await start();
    changes.emit("change", undefined);
    expect((await thread.failed).message).toMatch(/ended by itself, with exit code 7/);
  });

  it("that is too busy to answer shows its last metrics, within about a second", async () => {
    const { thread, start } = threadOf(`${port} ${listening}
      port.once("message", () => port.once("message", () => {
        port.postMessage({ type: "metrics", text: "calls 1" });
        port.on("message", ({ type }) => { if (type === "stop") port.close(); });
      }));`);
    await start();
    expect(await thread.metrics()).toBe("calls 1");
    const since = performance.now();
    expect(await thread.metrics()).toBe("calls 1");
    expect(performance.now() - since).toBeGreaterThan(900);
  });
});
