import { setTimeout } from "node:timers/promises";
import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Listings } from "../logs/listings.js";
import { type LogKind, type LogStore, logKinds, type NewEntry } from "../logs/log-store.js";
import { openLogs } from "../stores.js";
import { openTestStorage } from "../test/harness.js";
import { newId } from "../test/media-events.js";
import { compactDays } from "./compact-days.js";
import { DAY_MS, startOfDay } from "./day-partitions.js";
import { openStorage, type Storage } from "./open-storage.js";

const HOUR_MS = 60 * 60 * 1000;
const today = startOfDay(Date.now());
const yesterday = today - DAY_MS;
const [morning, night] = [today + 6 * HOUR_MS, today + 5 * HOUR_MS];
const never = new AbortController().signal;

const PROJECTS = 20;
const BATCH = 2000;
// Enough for several steps of a compaction, and for sizes that a few pages do not change.
const ENTRIES = 12_000;

/** Whether the databases of these tests are distributed. */
async function hasCitus(): Promise<boolean> {
  let drop = async (): Promise<void> => {};
  const atEnd = (end: () => Promise<void>): void => {
    drop = end;
  };
  const storage = await openStorage(await postgresUrl({ atEnd }));
  await storage.close();
  await drop();
  return storage.isDistributed;
}

const roomOf = (project: string, at: number) => ({ channel_id: `room-${at % 3000}@${project}` });
const lasting = (ms: number, at: number) => ({
  created_timestamp: new Date(at - ms).toISOString(),
  destroyed_timestamp: new Date(at).toISOString(),
  duration_min: ms / 60_000,
});
const answered = (at: number) => ({ status: 200, elapsed_time_ms: at % 400 });
const connectionOf = (project: string, at: number) => ({
  ...roomOf(project, at),
  ...{ session_id: newId(), client_id: `camera-${at % 5000}`, connection_id: newId() },
});

/** The fields of an entry of each log, without its timestamp. */
const fieldsOf: Readonly<Record<LogKind, (project: string, at: number) => object>> = {
  sessions: (project, at) => ({
    ...{ ...roomOf(project, at), session_id: newId(), total_connections: 12, max_connections: 7 },
    ...lasting(3_000_000, at),
  }),
  connections: (project, at) => ({
    ...{ ...connectionOf(project, at), bundle_id: "stage" },
    ...{ total_received_bytes: at % 1_000_000_000, total_sent_bytes: at % 900_000_000 },
    ...lasting(600_000, at),
  }),
  api: (_, at) => ({ url: "https://media-ops.example/orgs/list-api-logs", ...answered(at) }),
  "media-api": (project, at) => ({
    media_target: "Media_20151104.DisconnectChannel",
    ...roomOf(project, at),
    ...answered(at),
  }),
  webhooks: (project, at) => ({
    ...{ type: "connection.created", url: `https://hooks.${project}.example/media/events` },
    ...answered(at),
  }),
  events: (project, at) => ({
    ...{ type: "connection.created", outcome: "ok", ...connectionOf(project, at) },
    ...{ role: "sendrecv", node_name: "node-1", event_id: newId() },
  }),
};
const allKinds = Object.keys(logKinds) as LogKind[];

function entryOf(kind: LogKind, at: number, projectId: string): NewEntry {
  const timestamp = new Date(at).toISOString();
  return { projectId, kind, timestamp, text: JSON.stringify({ timestamp, ...fieldsOf[kind](projectId, at) }) };
}

/** Fills a day as many projects do at once. Returns its entries. */
async function fillDay(logs: LogStore, day: number, kinds: readonly LogKind[] = allKinds): Promise<NewEntry[]> {
  const entries = Array.from({ length: ENTRIES }, (_, nth) =>
    entryOf(
      kinds[nth % kinds.length] ?? "events",
      day + Math.floor((nth * DAY_MS) / ENTRIES),
      // The first project has half of all entries.
      `demo-${nth % 11 < 5 ? 1 : 1 + (nth % PROJECTS)}`,
    ),
  );
  for (let at = 0; at < ENTRIES; at += BATCH) await logs.append(entries.slice(at, at + BATCH));
  return entries;
}

/** The logs of a new database, and other processes with the same one. */
async function openDays() {
  const url = await postgresUrl();
  const open = async () => {
    const storage = await openTestStorage(url);
    return { storage, logs: await openLogs(storage, Date.now) };
  };
  return { ...(await open()), open };
}

const dayTable = (day: number): string => `log_entry_d${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;

/** What a day takes on the disk, in bytes for each byte of its JSON. */
async function ratioOf({ query, isDistributed }: Storage, day: number, entries: readonly NewEntry[]): Promise<number> {
  const size = sql.raw(isDistributed ? "citus_total_relation_size" : "pg_total_relation_size");
  const { rows } = await sql<{ bytes: number }>`select ${size}(${dayTable(day)}::regclass) as bytes`.execute(query);
  return (rows[0]?.bytes ?? Number.NaN) / entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Whether entries can be compressed: on Citus they are not, and some PostgreSQL are built without lz4. */
async function canCompress({ query, isDistributed }: Storage): Promise<boolean> {
  const { rows } = await sql`
    select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`.execute(query);
  return rows.length > 0 && !isDistributed;
}

/** All entries, sorted. */
async function stored({ query }: Storage): Promise<string[]> {
  const rows = await query.selectFrom("log_entry").select(["project_id", "kind", "entry"]).execute();
  return rows.map(({ project_id, kind, entry }) => `${project_id} ${kind} ${entry}`).sort();
}

const asStored = (entries: readonly NewEntry[]): string[] =>
  entries.map(({ projectId, kind, text }) => `${projectId} ${logKinds[kind].number} ${text}`).sort();

/** The tables, indexes, triggers and functions that a compaction needs only while it runs. */
async function leftovers({ query }: Storage): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class where relname ~ '^log_entry_(copy|arrived|gone|staged)|_ccnew'
    union all select tgname from pg_trigger where tgname ~ '^log_entry'
    union all select proname from pg_proc where proname ~ '^log_entry'`.execute(query);
  return rows.map(({ name }) => name);
}

/** The partition that holds a day's rows: another number after each rewrite. */
async function identityOf({ query }: Storage, day: number): Promise<number | undefined> {
  const { rows } = await sql<{ oid: number }>`select ${dayTable(day)}::regclass::oid as oid`.execute(query);
  return rows[0]?.oid;
}

/** Waits until a part of a day is copied. */
async function whenHalfDone({ query }: Storage): Promise<void> {
  const copied = async (): Promise<number> => {
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(pg_relation_size(to_regclass('log_entry_copy')), 0) as bytes`.execute(query);
    return rows[0]?.bytes ?? 0;
  };
  await expect.poll(copied, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);
}

/** Ends the connection of the process that compacts, as when that is killed. */
async function killCompaction({ query }: Storage): Promise<void> {
  const kill = sql`
    select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and objsubid = 2 and datname = current_database()`;
  const killed = async (): Promise<number> => (await kill.execute(query)).rows.length;
  // It holds the lock while it makes a step.
  await expect.poll(killed, { interval: 5, timeout: 30_000 }).toBe(1);
}

describe("a day that is over", () => {
  it.each([
    { of: "all logs, 225 bytes on average", kinds: allKinds, compressed: 1.6, uncompressed: 1.75 },
    { of: "the connection log, 390 bytes", kinds: ["connections"] as const, compressed: 1.3, uncompressed: 1.5 },
  ])("takes little more than its JSON, with entries of $of", async ({ kinds, compressed, uncompressed }) => {
    const { storage, logs } = await openDays();
    const entries = await fillDay(logs, yesterday, kinds);
    const before = await ratioOf(storage, yesterday, entries);
    expect(await compactDays(storage, morning, never)).toMatch(
      /^1 past days of log entries were compacted, from \d+ to \d+ MB$/,
    );
    const after = await ratioOf(storage, yesterday, entries);
    expect(after).toBeLessThan(before);
    // Each shard has pages that are not full, which count with so few entries.
    const most = uncompressed + (storage.isDistributed ? 0.1 : 0);
    expect(after).toBeLessThanOrEqual((await canCompress(storage)) ? compressed : most);
    expect(await stored(storage)).toEqual(asStored(entries));
    expect(await leftovers(storage)).toEqual([]);
  });

  it("is read and written meanwhile: each entry is stored once, and listed at once", async () => {
    const { storage, logs, open } = await openDays();
    const other = await open();
    const entries = await fillDay(logs, yesterday);
    let isDone = false;
    let newest = "";
    const write = async (): Promise<number> => {
      let written = 0;
      for (; !isDone; written++) {
        const late = entryOf("events", yesterday + written * 10_000, "demo-2");
        const fresh = entryOf("events", morning + written, "demo-1");
        await logs.append([late, fresh]);
        entries.push(late, fresh);
        newest = fresh.text;
      }
      return written;
    };
    const read = async (): Promise<void> => {
      const listings = new Listings(other.storage, Date.now);
      while (!isDone) {
        const known = newest;
        const { body } = await listings.list("demo-1", "events");
        expect(body.toString()).toContain(known);
      }
    };
    const work = Promise.all([write(), read()]);
    await compactDays(storage, morning, never).finally(() => (isDone = true));
    expect((await work)[0]).toBeGreaterThan(5);
    expect(await leftovers(storage)).toEqual([]);
    const late = [entryOf("api", yesterday + 1, "demo-1"), entryOf("api", yesterday + 2, "late")];
    await logs.append(late);
    expect(await stored(storage)).toEqual(asStored([...entries, ...late]));
  });

  it("is compacted once, by one process", async () => {
    const { storage, logs, open } = await openDays();
    const other = await open();
    await fillDay(logs, yesterday);
    const messages = await Promise.all([storage, other.storage].map((one) => compactDays(one, morning, never)));
    expect(messages.filter((message) => message !== undefined)).toHaveLength(1);
    const identity = await identityOf(storage, yesterday);
    expect(await compactDays(storage, morning + DAY_MS, never)).toBeUndefined();
    expect(await compactDays(other.storage, morning, never)).toBeUndefined();
    expect(await identityOf(storage, yesterday)).toBe(identity);
  });

  it("is compacted some hours after its end, if the clock is trusted; today is left alone", async () => {
    const { storage, logs } = await openDays();
    const entries = await fillDay(logs, yesterday);
    entries.push(...(await fillDay(logs, today)));
    const ofToday = await identityOf(storage, today);
    expect(await compactDays(storage, night, never)).toBeUndefined();
    expect(await compactDays(storage, morning, never)).toMatch(/^1 past days/);
    expect(await identityOf(storage, today)).toBe(ofToday);
    expect(await compactDays(storage, morning + DAY_MS, never)).toMatch(/^1 past days/);
    expect(await stored(storage)).toEqual(asStored(entries));
  });

  it("is dropped when it expires", async () => {
    const { storage, logs } = await openDays();
    await fillDay(logs, yesterday);
    await compactDays(storage, morning, never);
    await logs.runRetention(today + 31 * DAY_MS, never);
    expect(await stored(storage)).toEqual([]);
  });
});

/** Tests of one PostgreSQL, where a day is copied in several steps. */
const testCopies = () =>
  describe("a copy of a day that ends before it is done", () => {
    it.for(["killed", "stopped"])("because the process is %s is finished by another process", async (how) => {
      const { storage, logs, open } = await openDays();
      const entries = await fillDay(logs, yesterday);
      const stop = new AbortController();
      const first = compactDays(storage, morning, stop.signal);
      const ended = how === "killed" ? expect(first).rejects.toThrow() : expect(first).resolves.toBeUndefined();
      await whenHalfDone(storage);
      if (how === "killed") await killCompaction(storage);
      else stop.abort();
      await ended;
      // They belong before and after what was copied.
      const late = [entryOf("api", yesterday + 1, "a-late"), entryOf("api", yesterday + 2, "z-late")];
      await logs.append(late);
      const copy = sql<{ oid: number }>`select to_regclass('log_entry_copy')::oid as oid`;
      const begun = (await copy.execute(storage.query)).rows[0]?.oid;
      const other = await open();
      expect(await compactDays(other.storage, morning, never)).toMatch(/^1 past days/);
      expect(await identityOf(storage, yesterday)).toBe(begun);
      expect(await stored(storage)).toEqual(asStored([...entries, ...late]));
      expect(await leftovers(storage)).toEqual([]);
    });

    it("leaves nothing, even if its day expires first", async () => {
      const { storage, logs } = await openDays();
      await fillDay(logs, yesterday);
      const stop = new AbortController();
      const first = compactDays(storage, morning, stop.signal);
      await whenHalfDone(storage);
      stop.abort();
      await first;
      await logs.runRetention(today + 30 * DAY_MS, never);
      const entries = await fillDay(logs, today);
      expect(await compactDays(storage, morning + DAY_MS, never)).toMatch(/^1 past days/);
      expect(await stored(storage)).toEqual(asStored(entries));
      expect(await leftovers(storage)).toEqual([]);
    });

    it("because a long read is in its way blocks nobody, and is finished later", async () => {
      const { storage, logs, open } = await openDays();
      const other = await open();
      const entries = await fillDay(logs, yesterday);
      const stop = new AbortController();
      await other.storage.query.transaction().execute(async (transaction) => {
        await transaction.selectFrom("log_entry").select("seq").limit(1).execute();
        const first = compactDays(storage, morning, stop.signal);
        const isWaiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ '^lock table only'`;
        await expect
          .poll(async () => (await isWaiting.execute(storage.query)).rows.length, { interval: 20, timeout: 30_000 })
          .toBe(1);
        const late = [entryOf("api", yesterday + 1, "demo-1"), entryOf("api", today, "demo-1")];
        const started = performance.now();
        await logs.append(late);
        expect(performance.now() - started).toBeLessThan(2000);
        entries.push(...late);
        stop.abort();
        expect(await first).toBeUndefined();
      });
      expect(await compactDays(storage, morning, never)).toMatch(/^1 past days/);
      expect(await stored(storage)).toEqual(asStored(entries));
    });
  });

/** Citus reindexes a day with one statement. */
const testReindexing = () => {
  it.for([
    ["takes longer than other statements may, if something is in its way", 11_000],
    ["ends when the process stops, and is begun again later", 0],
  ] as const)("a reindexing %s", async ([, waitMs]) => {
    const { storage, logs, open } = await openDays();
    const other = await open();
    const entries = await fillDay(logs, yesterday);
    const stop = new AbortController();
    await other.storage.query
      .transaction()
      .execute(async (transaction) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
        await transaction.selectFrom("log_entry").select("seq").where("project_id", "=", "demo-1").limit(1).execute();
        const first = compactDays(storage, morning, stop.signal);
        const isReindexing = sql`select from pg_stat_activity where state = 'active' and query ~ '^reindex'`;
        await expect.poll(async () => (await isReindexing.execute(storage.query)).rows.length).toBe(1);
        if (waitMs > 0) {
          await setTimeout(waitMs);
          return { first };
        }
        stop.abort();
        expect(await first).toBeUndefined();
        return {};
      })
      .then(async ({ first }) => {
        expect(await (first ?? compactDays(storage, morning, never))).toMatch(/^1 past days/);
      });
    expect(await stored(storage)).toEqual(asStored(entries));
  });

  it("a reindexing that ends before it is done leaves no invalid index", async () => {
    const { storage, logs } = await openDays();
    const entries = await fillDay(logs, yesterday);
    const inShards = async (command: string): Promise<string[]> => {
      const { rows } = await sql<{ success: boolean; result: string }>`
        select success, result from run_command_on_shards(${dayTable(yesterday)}::regclass, ${command})`.execute(
        storage.query,
      );
      expect(rows.filter(({ success }) => !success)).toEqual([]);
      return rows.map(({ result }) => result);
    };
    // What a killed `reindex concurrently` leaves.
    await inShards(`do $$ declare shard regclass := '%s'; begin
      execute 'create index on ' || shard || ' (kind)';
      update pg_index set indisvalid = false where indrelid = shard and not indisprimary;
    end $$`);
    expect(await compactDays(storage, morning, never)).toMatch(/^1 past days/);
    const counts = await inShards("select count(*) from pg_index where indrelid = '%s'::regclass");
    expect(new Set(counts)).toEqual(new Set(["1"]));
    expect(await stored(storage)).toEqual(asStored(entries));
  });
};

if (await hasCitus()) testReindexing();
else testCopies();
