import type { CountLogsRequest, LogCount, LogCounts } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LogKind, type LogStore, logKindNames, logKinds, sortKey } from "../logs/log-store.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { makeRoomForPast, openLogs } from "../stores.js";
import { SMALL_SIZES } from "../test/indexed-logs.js";
import {
  entriesOf,
  expected as matchingOf,
  NOW as now,
  timestamp,
  type WrittenEntry,
  whereOf,
} from "../test/search-model.js";
import { callerOf } from "./conditions.js";
import { count, parseCount } from "./count.js";
import { LogIndexer } from "./log-indexer.js";
import { SegmentStore } from "./segment-store.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const unhurried = { isOver: false, pause: async () => {} };

let storage: Storage;
let store: LogStore;
let reader: SegmentStore;
let indexer: LogIndexer;
beforeAll(async () => {
  storage = await openStorage(await databaseUrl({ memory: true, atEnd: afterAll }));
  await makeRoomForPast(storage, now);
  store = await openLogs(storage, () => now);
  // Few enough that late entries are read in several parts.
  reader = new SegmentStore(storage, 2);
  indexer = new LogIndexer({
    database: storage,
    write: (statements) => storage.writeAll(statements),
    now: () => now,
    sizes: { ...SMALL_SIZES, late: 4 },
  });
});
afterAll(() => storage.close());

type Entry = Readonly<Record<string, unknown>> & { readonly timestamp: string };
type Written = Pick<WrittenEntry, "timestamp" | "text">;

/** Whether a log has entries that failed. */
const canFail = (kind: LogKind): boolean => ["api", "media-api", "webhooks", "events"].includes(kind);

/** An entry has a status or an outcome, or neither of them. */
function failed({ status, outcome }: Entry): boolean | undefined {
  if (typeof status === "number") return status === 0 || status >= 400;
  return typeof outcome === "string" ? outcome !== "ok" : undefined;
}

const bysOf: Readonly<Record<LogKind, NonNullable<CountLogsRequest["by"]>>> = {
  sessions: ["channel_id", "session_id"],
  connections: ["channel_id", "session_id"],
  api: ["url", "from", "status", "failed"],
  "media-api": ["media_target", "channel_id", "status", "failed"],
  webhooks: ["type", "url", "status", "failed", "channel_id"],
  events: ["type", "channel_id", "role", "outcome", "failed", "reason", "jwt_id"],
};

const boundary = fc
  .constantFrom(0, 1, 2, 24, 29 * 24)
  .map((hours) => new Date(Date.parse("2026-04-03T00:00:00Z") - hours * HOUR_MS).toISOString());
const bodyOf = (kind: LogKind): fc.Arbitrary<CountLogsRequest> =>
  fc
    .record({
      // Whole segments are counted by hour if nothing else is asked.
      where: fc.oneof(fc.constant({}), fc.constantFrom(...(canFail(kind) ? [{ failed: true }] : [{}])), whereOf(kind)),
      by: fc.option(fc.uniqueArray(fc.constantFrom(...bysOf[kind]), { minLength: 1, maxLength: 2 }), {
        nil: undefined,
      }),
      top: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      periods: fc.constantFrom<Pick<CountLogsRequest, "every" | "offset">>(
        {},
        { every: 3600 },
        { every: 7200, offset: -3600 },
        { every: 86_400, offset: 32_400 },
        { every: 86_400, offset: 19_800 },
        { every: 5400 },
        { every: 7 * 86_400 },
      ),
      ends: fc.uniqueArray(fc.oneof(timestamp, boundary), { maxLength: 2, selector: sortKey }),
    })
    .map(({ where, by, top, periods, ends }): CountLogsRequest => {
      const [since, until] = [...ends].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
      return {
        kind,
        ...periods,
        where: where as NonNullable<CountLogsRequest["where"]>,
        ...(by && { by }),
        ...(top !== undefined && { top }),
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
      };
    });

/** What happens to a log: entries are written, or segments are built. */
const stepsOf = (kind: LogKind) =>
  fc.array(fc.oneof({ weight: 2, arbitrary: entriesOf(kind) }, fc.constant("index" as const)), { maxLength: 6 });

const sum = (all: readonly number[]): number => {
  const total = all.reduce((total, one) => total + BigInt(one), 0n);
  return total > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(total);
};
/** Only whole numbers from 0 on are counted. */
const numbersIn = (entries: readonly Entry[], name: string): number[] =>
  entries.flatMap(({ [name]: value }) => (Number.isSafeInteger(value) && Number(value) >= 0 ? [Number(value)] : []));

/** The counts of entries, with exact percentiles. */
function exactCount(kind: LogKind, entries: readonly Entry[]): LogCount {
  const calls = (some: readonly Entry[]) => sum(some.map((entry) => numbersIn([entry], "count")[0] || 1));
  const isTimed = !canFail(kind);
  const values = numbersIn(entries, isTimed ? "duration_min" : "elapsed_time_ms").sort((a, b) => a - b);
  const at = (share: number) => values[Math.ceil(share * values.length) - 1] ?? 0;
  const distribution = { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  return {
    entries: entries.length,
    count: calls(entries),
    ...(canFail(kind) && { failed: calls(entries.filter((entry) => failed(entry) === true)) }),
    ...(kind === "connections" && {
      received_bytes: sum(numbersIn(entries, "total_received_bytes")),
      sent_bytes: sum(numbersIn(entries, "total_sent_bytes")),
    }),
    ...(isTimed && { minutes: sum(values) }),
    ...(values.length > 0 && { [isTimed ? "duration_min" : "elapsed_ms"]: distribution }),
  };
}

const groupValue = (entry: Entry, name: string): string | number | boolean | null => {
  if (name === "failed") return failed(entry) ?? null;
  if (name === "from") return (typeof entry.url === "string" && callerOf(entry.url)) || null;
  const value = entry[name];
  return typeof value === (name === "status" ? "number" : "string") ? (value as string | number) : null;
};

/** Counts entries in memory, one by one. */
function expected(kind: LogKind, written: readonly WrittenEntry[], body: CountLogsRequest): LogCounts {
  const oldest = new Date(now - 30 * DAY_MS).toISOString();
  const since = [oldest, body.since ?? oldest].sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))[0] ?? "";
  // Nothing is written ahead of the clock.
  const until = body.until ?? new Date(now).toISOString();
  const counted = matchingOf(written, { ...body, since } as Parameters<typeof matchingOf>[1]).map(
    ({ text }): Entry => JSON.parse(text),
  );
  const grouped = new Map<string, Entry[]>();
  const inPeriods = new Map<number, Entry[]>();
  const put = <Key>(map: Map<Key, Entry[]>, key: Key, entry: Entry) => map.set(key, [...(map.get(key) ?? []), entry]);
  for (const entry of counted) {
    put(grouped, JSON.stringify(body.by?.map((name) => groupValue(entry, name))), entry);
    const { every = 1, offset = 0 } = body;
    const second = Math.floor(Date.parse(`${entry.timestamp.slice(0, 19)}Z`) / 1000);
    put(inPeriods, Math.floor((second + offset) / every) * every - offset, entry);
  }
  const groups = [...grouped]
    .map(([key, own]) => ({ key, ...exactCount(kind, own) }))
    .sort((a, b) => (b.failed ?? 0) - (a.failed ?? 0) || b.entries - a.entries || (a.key < b.key ? -1 : 1));
  const top = body.by ? groups.slice(0, body.top ?? 100) : [];
  return {
    since: `${sortKey(sortKey(since) < sortKey(until) ? since : until)}Z`,
    until: `${sortKey(until)}Z`,
    complete: true,
    total: exactCount(kind, counted),
    groups: top.map(({ key, ...own }) => {
      const values: (string | number | boolean | null)[] = JSON.parse(key);
      return { by: Object.fromEntries((body.by ?? []).map((name, i) => [name, values[i] ?? null])), ...own };
    }),
    omitted_groups: body.by ? groups.length - top.length : 0,
    periods:
      body.every === undefined
        ? []
        : [...inPeriods]
            .sort(([a], [b]) => a - b)
            .map(([start, own]) => ({
              start: `${sortKey(new Date(start * 1000).toISOString())}Z`,
              ...exactCount(kind, own),
            })),
  };
}

/** Percentiles within 2% of the exact ones are replaced by these. */
function withExact(found: unknown, exact: unknown): unknown {
  if (typeof found === "number" && typeof exact === "number")
    return Math.abs(found - exact) <= exact * 0.02 ? exact : found;
  if (typeof found !== "object" || found === null || typeof exact !== "object" || exact === null) return found;
  const others = new Map(Object.entries(exact));
  return Array.isArray(found)
    ? found.map((one, i) => withExact(one, others.get(String(i))))
    : Object.fromEntries(
        Object.entries(found).map(([name, value]) => [
          name,
          /^p\d\d$|_ms$|_min$|total|groups|periods|^\d+$/.test(name) ? withExact(value, others.get(name)) : value,
        ]),
      );
}

let projects = 0;
/** A new project with entries of a log, some of them in segments. A project's channels bear its name. */
async function written(kind: LogKind, steps: readonly (readonly Written[] | "index")[]) {
  const projectId = `p${projects++}`;
  const entries: WrittenEntry[] = [];
  for (const step of steps) {
    if (step === "index") await indexer.indexLog([projectId, logKinds[kind].number]);
    else {
      const own = step.map(({ timestamp, text }) => ({ timestamp, text: text.replaceAll("@demo", `@${projectId}`) }));
      if (own.length > 0) await store.append(own.map((entry) => ({ projectId, kind, ...entry })));
      for (const entry of own) entries.push({ ...entry, seq: entries.length + 1 });
    }
  }
  const ownBody = <Body>(body: Body): Body => JSON.parse(JSON.stringify(body).replaceAll("@demo", `@${projectId}`));
  return { projectId, entries, ownBody };
}

/** Work that is over after some pieces. */
function workOf(pieces: number) {
  let done = 0;
  return {
    get isOver() {
      return done >= pieces;
    },
    async pause() {
      done += 1;
    },
  };
}

describe.each(logKindNames)("a count of %s", (kind) => {
  const steps = stepsOf(kind);
  const bodies = fc.array(bodyOf(kind), { minLength: 4, maxLength: 4 });

  it("is the same as one of the entries in memory, whichever of them have segments", async () => {
    await fc.assert(
      fc.asyncProperty(steps, bodies, async (all, asked) => {
        const { projectId, entries, ownBody } = await written(kind, all);
        for (const body of asked.map(ownBody)) {
          const found = await count(reader, parseCount(projectId, body, now), unhurried);
          const exact = expected(kind, entries, body);
          expect(withExact(found, exact)).toEqual(exact);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("that had to end early has everything since the time that it names", async () => {
    const pieces = fc.oneof(fc.nat(8), fc.nat(120));
    await fc.assert(
      fc.asyncProperty(steps, bodies, pieces, fc.integer({ min: 1, max: 5 }), async (all, asked, pieces, groups) => {
        const { projectId, entries, ownBody } = await written(kind, all);
        for (const body of asked.map(ownBody)) {
          const query = parseCount(projectId, body, now);
          // Conditions that cost as much as the contract allows: it may end within a segment.
          const costly = { ...query, conditions: { ...query.conditions, atOnce: pieces % 2 === 0 ? 1 : 512 } };
          const found = await count(reader, costly, workOf(pieces), groups);
          const exact = expected(kind, entries, { ...body, ...(!found.complete && { since: found.since }) });
          expect(withExact(found, exact)).toEqual({ ...exact, complete: found.complete });
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Builds the segments of a log again after their late entries were read. */
class OvertakenReader extends SegmentStore {
  override async late(...[log, ...others]: Parameters<SegmentStore["late"]>) {
    const late = await super.late(log, ...others);
    await indexer.rebuildLate(log);
    return late;
  }
}

const webhooks = (seconds: readonly number[]): Written[] =>
  seconds.map((second) => {
    const timestamp = new Date(now - HOUR_MS + second * 1000).toISOString();
    return { timestamp, text: JSON.stringify({ timestamp, status: 200 }) };
  });
const numbers = (length: number): number[] => Array.from({ length }, (_, number) => number);

it("an entry that gets its segment meanwhile is counted once", async () => {
  const { projectId } = await written("webhooks", [webhooks(numbers(40)), "index", webhooks([1.5, 2.5, 30.5])]);
  const log = [projectId, logKinds.webhooks.number] as const;
  const all = { from: "", until: "~" };
  const lateOnes = async () => (await new SegmentStore(storage).late(log, all, "newest")).rows;
  expect(await lateOnes()).toHaveLength(3);
  const found = await count(new OvertakenReader(storage), parseCount(projectId, { kind: "webhooks" }, now), unhurried);
  expect(found.total.entries).toBe(43);
  expect(await lateOnes()).toHaveLength(0);
});

it("entries with the same time are all counted, or none of them", async () => {
  // Without segments, and more than are read at once.
  const { projectId } = await written("webhooks", [
    webhooks([...numbers(10), ...numbers(700).fill(10), ...numbers(300).map((n) => n + 11)]),
  ]);
  const found = await count(reader, parseCount(projectId, { kind: "webhooks" }, now), workOf(0));
  expect(found).toMatchObject({ complete: false, since: webhooks([11])[0]?.timestamp.replace(".000Z", "Z") });
  expect(found.total.entries).toBe(300);
  const all = await count(reader, parseCount(projectId, { kind: "webhooks" }, now), unhurried);
  expect(all.total.entries).toBe(1010);
});

it("the counted range ends no later than what was counted", async () => {
  // The question ends an hour after now, between these two.
  const { projectId } = await written("webhooks", [webhooks([7200 - 0.15, 7200 + 0.25])]);
  const question = parseCount(projectId, { kind: "webhooks" }, now);
  const { until, total } = await count(reader, question, unhurried);
  expect({ until, entries: total.entries }).toEqual({ until: `${question.until}Z`, entries: 1 });
});
