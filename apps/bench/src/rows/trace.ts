import assert from "node:assert/strict";
import { createMediaClient, type LogKind, type MediaClient, type Trace } from "@media-ops/sdk";
import { makeDatabase, startServer } from "@media-ops/testing/server";
import { idOf, measured, randomNumbers, type StoredEntry } from "../harness/entries.js";
import { LogFile } from "../harness/log-file.js";
import { PostgresLogs } from "../harness/postgres-logs.js";
import { mediaOps, startService } from "../harness/programs.js";
import { oursAtMost, type Result, type Row, single } from "../harness/report.js";
import { ended, type Sandbox, show, withSandbox } from "../harness/sandbox.js";
import { quantile } from "../harness/turns.js";
import { indexed } from "./search.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = DAY_MS / 24;
const BATCH = 5000;
// So many connections have entries in the other logs, too; the traced ones are among them.
const ONE_IN = 10;
const TRACED = 300;
const { projectId } = measured;
const POSTGRES = { fsync: "on", shared_buffers: "1GB", max_wal_size: "8GB" };
const row = "trace";

/** Measures traces and explanations among the events of 30 days, in SQLite and in PostgreSQL. */
export const trace: Row = ({ builds: [build], isQuick }) =>
  withSandbox(async (sandbox) => {
    const events = Number(process.env.BENCH_ENTRIES ?? (isQuick ? 20_000 : 10_000_000));
    const until = Date.now();
    const from = until - 29.9 * DAY_MS;
    const server = await startServer(POSTGRES);
    try {
      const file = `sqlite:${sandbox.folder}/trace.db`;
      const { url } = await makeDatabase(server.url);
      const [fileKey, urlKey] = await Promise.all(
        [file, url].map((database) => mediaOps(build, database, "projects", "create", projectId)),
      );
      const stores = [
        { name: "SQLite", database: file, key: fileKey.api_key, logs: new LogFile(`${sandbox.folder}/trace.db`) },
        { name: "PostgreSQL", database: url, key: urlKey.api_key, logs: await PostgresLogs.open(url, from) },
      ];
      const traced = await fill(stores, events, [from, until]);
      const results: Result[] = [];
      for (const { name, database, key, logs } of stores) {
        if (logs instanceof PostgresLogs) await logs.settle();
        await logs.close();
        results.push(...(await measure(sandbox, { name, database, key, traced, until, isQuick }, build)));
      }
      return results;
    } finally {
      await server.release();
    }
  });

interface Filled {
  readonly logs: LogFile | PostgresLogs;
}

/** Writes the entries of connections, and returns the ids of some that are in all logs. */
async function fill(
  stores: readonly Filled[],
  events: number,
  [from, until]: readonly [number, number],
): Promise<string[]> {
  const traced: string[] = [];
  let batch: StoredEntry[] = [];
  const flush = async (): Promise<void> => {
    for (const { logs } of stores) await logs.append(batch);
    batch = [];
  };
  const connections = events / 2;
  const random = randomNumbers(events);
  for (let nth = 0; nth < connections; nth++) {
    const isWhole = nth % ONE_IN === 0;
    const { id, entries } = connection(random, from + ((until - from) * nth) / connections, isWhole);
    if (isWhole && traced.length < TRACED && random(Math.ceil(connections / ONE_IN / TRACED / 2)) === 0)
      traced.push(id);
    batch.push(...entries);
    if (batch.length >= BATCH) await flush();
    if ((nth + 1) % 500_000 === 0) show(`trace: ${2 * (nth + 1)} events written`);
  }
  await flush();
  return traced;
}

const timestampOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, -1)}${String(Math.floor((at * 1000) % 1000)).padStart(3, "0")}Z`;

/** The entries of a connection of a minute: of its events, and, if it is whole, of the other logs. */
function connection(random: ReturnType<typeof randomNumbers>, at: number, isWhole: boolean) {
  const id = idOf(random);
  const fields = {
    channel_id: `room-${random(3000)}@${projectId}`,
    session_id: idOf(random),
    connection_id: id,
    client_id: `camera-${random(5000)}`,
  };
  const [created_timestamp, destroyed_timestamp] = [timestampOf(at), timestampOf(at + 60_000)];
  const entry = (kind: LogKind, timestamp: string, more: object): StoredEntry => {
    const all = { timestamp, ...more };
    return { projectId, kind, timestamp, fields: all, text: JSON.stringify(all) };
  };
  const more = { ...fields, role: "sendrecv", node_name: `node-${random(4)}` };
  const isFailed = random(50) === 0;
  const ending = isFailed
    ? { outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT" }
    : { outcome: "ok" };
  const { client_id, session_id, ...named } = fields;
  const hook = { url: "https://hooks.example/media", status: 200, elapsed_time_ms: random(400), ...named };
  const total = { total_received_bytes: random(1e9), total_sent_bytes: random(1e9) };
  const times = { created_timestamp, destroyed_timestamp, duration_min: 1 };
  return {
    id,
    entries: [
      entry("events", created_timestamp, {
        type: "connection.created",
        ...more,
        outcome: "ok",
        event_id: idOf(random),
      }),
      entry("events", destroyed_timestamp, {
        type: "connection.destroyed",
        ...more,
        ...ending,
        elapsed_time_ms: 60_000,
        event_id: idOf(random),
      }),
      ...(isWhole
        ? [
            entry("connections", destroyed_timestamp, { ...fields, bundle_id: id, ...total, ...times }),
            entry("webhooks", timestampOf(at + 20), { type: "connection.created", ...hook, event_id: idOf(random) }),
            entry("webhooks", timestampOf(at + 60_020), {
              type: "connection.destroyed",
              ...hook,
              event_id: idOf(random),
            }),
          ]
        : []),
    ],
  };
}

interface Measuring {
  readonly name: string;
  readonly database: string;
  readonly key: string;
  /** The ids of connections that are traced. */
  readonly traced: readonly string[];
  readonly until: number;
  readonly isQuick: boolean;
}

async function measure(
  sandbox: Sandbox,
  { name, database, key, traced, until, isQuick }: Measuring,
  build: Parameters<typeof startService>[1],
): Promise<Result[]> {
  const service = await startService(sandbox, build, database);
  const seconds = await indexed(service);
  show(`trace: ${name}: indexed in ${seconds.toFixed(0)} s`);
  const client = createMediaClient({ baseUrl: service.url, apiKey: key });
  const ids = isQuick ? traced.slice(0, 2) : traced;
  const report = (what: string, times: readonly number[], most?: number): Result[] => [
    ...single(
      { row, measure: `${name}: ${what}: p50, ms`, ...(most !== undefined && { goal: oursAtMost(most, "ms") }) },
      quantile(times, 0.5),
    ),
    ...single({ row, measure: `${name}: ${what}: p99, ms` }, quantile(times, 0.99)),
  ];
  // Few events have no failure in an hour.
  const since = new Date(until - (isQuick ? 14 * DAY_MS : HOUR_MS)).toISOString();
  const end = new Date(until).toISOString();
  const traces = await timesOf(ids, (id) => traceWhole(client, id));
  const whys = await timesOf(ids.slice(0, 50), async () => {
    const { causes, complete } = await client.logs.why({ since, until: end });
    assert(complete);
    assert.equal(causes[0]?.reason, "ice-timeout");
  });
  await ended(service.child, "SIGTERM");
  return [...report("trace of a connection", traces, 50), ...report("why, for an hour", whys)];
}

async function traceWhole(client: MediaClient, what: string): Promise<void> {
  const { subject, id, lines, complete }: Trace = await client.logs.trace({ what });
  assert.deepEqual([subject, id, complete], ["connection", what, true]);
  // Its two events, the second of which has the figures of the connection log, and two webhooks.
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["events", "webhooks", "events", "webhooks"],
  );
}

async function timesOf<Item>(items: readonly Item[], call: (item: Item) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) {
    const started = performance.now();
    await call(item);
    times.push(performance.now() - started);
  }
  return times;
}
