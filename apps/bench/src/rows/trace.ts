import assert from "node:assert/strict";
import { askTrace, askWhy, type Trace } from "@media-ops/reports";
import { createMediaClient, type LogKind, type MediaClient } from "@media-ops/sdk";
import { DAY_MS, HOUR_MS, idOf, measured, randomNumbers, type StoredEntry, timestampOf } from "../harness/entries.js";
import { PostgresLogs } from "../harness/postgres-logs.js";
import { startService } from "../harness/programs.js";
import { oursAtMost, type Result, type Row, type RowOptions, single } from "../harness/report.js";
import { ended, type Sandbox, show, withSandbox } from "../harness/sandbox.js";
import { quantile } from "../harness/turns.js";
import { indexed, type Store, withStores } from "./search.js";
import { writeEntries } from "./search-data.js";

// So many connections have entries in the other logs, too; the traced ones are among them.
const ONE_IN = 10;
const TRACED = 300;
const { projectId } = measured;
const row = "trace";

/** Measures traces and explanations among the events of 30 days, in SQLite and in PostgreSQL. */
export const trace: Row = (options) =>
  withSandbox(async (sandbox) => {
    const { builds, isQuick } = options;
    const events = Number(process.env.BENCH_ENTRIES ?? (isQuick ? 20_000 : 10_000_000));
    const until = Date.now();
    const from = until - 29.9 * DAY_MS;
    return withStores(sandbox, builds[0], from, async (stores) => {
      const traced: string[] = [];
      const sinks = stores.map(({ logs }) => logs);
      await writeEntries(row, sinks, connections(events / 2, [from, until], traced));
      const results: Result[] = [];
      for (const store of stores) {
        if (store.logs instanceof PostgresLogs) await store.logs.settle();
        await store.logs.close();
        results.push(...(await measure(sandbox, options, store, { traced, until })));
      }
      return results;
    });
  });

/** Generates the entries of connections. Adds the ids of some that are in all logs to `traced`. */
function* connections(
  count: number,
  [from, until]: readonly [number, number],
  traced: string[],
): Generator<StoredEntry> {
  const random = randomNumbers(count * 2);
  for (let nth = 0; nth < count; nth++) {
    const isWhole = nth % ONE_IN === 0;
    const { id, entries } = connection(random, from + ((until - from) * nth) / count, isWhole);
    if (isWhole && traced.length < TRACED && random(Math.ceil(count / ONE_IN / TRACED / 2)) === 0) traced.push(id);
    yield* entries;
  }
}

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

async function measure(
  sandbox: Sandbox,
  { builds, isQuick }: RowOptions,
  { name, databaseUrl, key }: Store,
  { traced, until }: { readonly traced: readonly string[]; readonly until: number },
): Promise<Result[]> {
  const service = await startService(sandbox, builds[0], databaseUrl);
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
    const { causes, complete } = await askWhy(client, { since, until: end });
    assert(complete);
    assert.equal(causes[0]?.reason, "ice-timeout");
  });
  await ended(service.child, "SIGTERM");
  return [...report("trace of a connection", traces, 50), ...report("why, for an hour", whys)];
}

async function traceWhole(client: MediaClient, what: string): Promise<void> {
  const { subject, id, lines, complete }: Trace = await askTrace(client, { what });
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
