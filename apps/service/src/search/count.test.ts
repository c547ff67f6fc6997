import type { CountLogsRequest, LogCount, LogCounts } from "@media-ops/contract";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { type LogKind, logKindNames, sortKey } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { makeRoomForPast } from "../stores.js";
import { openIndexedLogs, SMALL_SIZES } from "../test/indexed-logs.js";
import {
  fieldOf,
  hasFailed,
  expected as matchingOf,
  NOW as now,
  type Step,
  stepsOf,
  timestamp,
  type WrittenEntry,
  whereOf,
} from "../test/search-model.js";
import type { TextColumn } from "./columns.js";
import { Counter, count, parseCount } from "./count.js";
import { SegmentStore } from "./segment-store.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const { storage, reader: wholeReader, newIndexer, newLog } = await openIndexedLogs(() => now, { atEnd: afterAll });
await makeRoomForPast(storage, now);
// Few enough that late entries are read in several parts.
const reader = new SegmentStore(storage, 2);
const indexer = newIndexer({ sizes: { ...SMALL_SIZES, late: 4 } });

type Entry = Readonly<Record<string, unknown>> & { readonly timestamp: string };

/** Whether a log has entries that failed. */
const canFail = (kind: LogKind): boolean => !["sessions", "connections"].includes(kind);

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
    ...(canFail(kind) && { failed: calls(entries.filter((entry) => hasFailed(entry) === true)) }),
    ...(kind === "connections" && {
      received_bytes: sum(numbersIn(entries, "total_received_bytes")),
      sent_bytes: sum(numbersIn(entries, "total_sent_bytes")),
    }),
    ...(isTimed && { minutes: sum(values) }),
    ...(values.length > 0 && { [isTimed ? "duration_min" : "elapsed_ms"]: distribution }),
  };
}

const groupValue = (entry: Entry, name: string): string | number | boolean | null => {
  if (name === "failed") return hasFailed(entry) ?? null;
  if (name === "from") return (fieldOf(entry, name) as string | undefined) || null;
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

/** The same counts, but their percentiles may deviate by 2%. */
const nearly = (exact: LogCounts): unknown =>
  JSON.parse(JSON.stringify(exact), (name, value) =>
    /^p\d\d$/.test(name) ? { asymmetricMatch: (found: number) => Math.abs(found - value) <= value * 0.02 } : value,
  );

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

it.each(logKindNames)(
  "a count of %s is the same as one of the entries in memory; one that ends early has all since the time that it names",
  async (kind) => {
    const bodies = fc.array(bodyOf(kind), { minLength: 4, maxLength: 4 });
    const pieces = fc.oneof(fc.nat(8), fc.nat(120));
    const groups = fc.integer({ min: 1, max: 5 });
    const checked = fc.asyncProperty(stepsOf(kind), bodies, pieces, groups, async (steps, asked, pieces, groups) => {
      const { projectId, written, own, run } = newLog(kind, indexer);
      await run(...steps);
      for (const body of own(asked)) {
        const query = parseCount(projectId, body, now);
        const all = await count(reader, query, unhurried);
        expect(all).toEqual(nearly(expected(kind, written, body)));
        // Conditions that cost as much as the contract allows: it may end within a segment.
        const costly = { ...query, conditions: { ...query.conditions, atOnce: pieces % 2 === 0 ? 1 : 512 } };
        const part = await count(reader, costly, workOf(pieces), groups);
        const { complete, since } = part;
        const counted = expected(kind, written, { ...body, ...(!complete && { since }) });
        expect(part).toEqual(nearly({ ...counted, complete }));
      }
    });
    await fc.assert(checked, { numRuns: 40 });
  },
);

/** Builds the segments of a log again after their late entries were read. */
class OvertakenReader extends SegmentStore {
  override async late(...[log, ...others]: Parameters<SegmentStore["late"]>) {
    const late = await super.late(log, ...others);
    await indexer.rebuildLate(log);
    return late;
  }
}

const webhooks = (seconds: readonly number[]): Exclude<Step, "index"> =>
  seconds.map((second) => {
    const timestamp = new Date(now - HOUR_MS + second * 1000).toISOString();
    return { timestamp, text: JSON.stringify({ timestamp, status: 200, url: `https://hooks.example/${second}` }) };
  });
const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, at) => from + at);

/** Webhooks of one hour, and what counts all of them. */
async function webhookLog(...steps: Step[]) {
  const { projectId, log, run } = newLog("webhooks", indexer);
  await run(...steps);
  return { log, query: parseCount(projectId, { kind: "webhooks" }, now) };
}

it("an entry that gets its segment meanwhile is counted once", async () => {
  const { log, query } = await webhookLog(webhooks(upTo(40)), "index", webhooks([1.5, 2.5, 30.5]));
  const lateOnes = async () => (await wholeReader.late(log, { from: "", until: "~" }, "newest")).rows;
  expect(await lateOnes()).toHaveLength(3);
  expect((await count(new OvertakenReader(storage), query, unhurried)).total.entries).toBe(43);
  expect(await lateOnes()).toHaveLength(0);
});

it("entries with the same time are all counted, or none of them", async () => {
  // Without segments, and more than are read at once.
  const { query } = await webhookLog(webhooks([...upTo(10), ...upTo(700).fill(10), ...upTo(311, 11)]));
  const found = await count(reader, query, workOf(0));
  expect(found).toMatchObject({ complete: false, since: webhooks([11])[0]?.timestamp.replace(".000Z", "Z") });
  expect(found.total.entries).toBe(300);
  expect((await count(reader, query, unhurried)).total.entries).toBe(1010);
});

it("the counted range ends no later than what was counted", async () => {
  // The question ends an hour after now, between these two.
  const { query } = await webhookLog(webhooks([7200 - 0.15, 7200 + 0.25]));
  const { until, total } = await count(reader, query, unhurried);
  expect({ until, entries: total.entries }).toEqual({ until: `${query.until}Z`, entries: 1 });
});

it.each<[string, Step[]]>([
  ["entries without a segment", [webhooks(upTo(300))]],
  ["entries of a segment", [webhooks(upTo(300)), "index"]],
  ["late entries of a segment", [webhooks([0, 299]), "index", webhooks(upTo(299, 1))]],
])("a count lets others continue after a few tests of %s", async (_, steps) => {
  const oneSegment = newIndexer({ sizes: { smallest: 1, full: 4096, late: 1024, failed: 1024 } });
  const { projectId, run } = newLog("webhooks", oneSegment);
  await run(...steps);
  const query = parseCount(projectId, { kind: "webhooks", where: { url: { contains: "hooks" } } }, now);
  const { conditions } = query;
  let [sincePause, most] = [0, 0];
  const all = conditions.all.map((condition) => ({
    ...condition,
    holds(value: Parameters<typeof condition.holds>[0]) {
      sincePause += 1;
      most = Math.max(most, sincePause);
      return condition.holds(value);
    },
  }));
  const pause = async () => {
    sincePause = 0;
  };
  const costly = { ...query, conditions: { ...conditions, atOnce: 8, all } };
  expect((await count(wholeReader, costly, { isOver: false, pause })).total.entries).toBe(300);
  expect(most).toBeLessThanOrEqual(8);
});

const span = { firstAt: "2026-04-01T09:00:00", lastAt: "2026-04-01T09:30:00" };

it.each([
  ["better", (i: number) => i + 1],
  ["worse", (i: number) => 300 - i],
])("the first of many groups are found in pieces if each is %s than those before it", async (_, entriesOf) => {
  const counter = new Counter("webhooks", { by: ["url"], top: 10, every: undefined, offset: 0 });
  const codes = Uint16Array.from(Array.from({ length: 300 }, (_, i) => Array(entriesOf(i)).fill(i)).flat());
  const urls = Array.from({ length: 300 }, (_, i) => `https://hooks.example/${i}`);
  const url: TextColumn = { type: "text", dictionary: urls, codes };
  const none = { type: "number", values: new Float64Array(codes.length).fill(Number.NaN) } as const;
  let pauses = 0;
  const column = (name: string) => (name === "url" ? url : none);
  await counter.addColumns(span, { column, positions: undefined, first: 0, end: codes.length }, unhurried.pause);
  const { groups } = await counter.answer({ since: "", until: "", complete: true }, async () => {
    pauses += 1;
  });
  expect(groups.map(({ entries }) => entries)).toEqual([300, 299, 298, 297, 296, 295, 294, 293, 292, 291]);
  // Once for each group in the total, and once more in the search for the first ones.
  expect(pauses).toBeGreaterThanOrEqual(600);
});

it("a sum is at most the greatest number that is exact", async () => {
  const counter = new Counter("connections", { by: [], top: 1, every: undefined, offset: 0 });
  const column = () => ({ type: "number", values: new Float64Array(2).fill(Number.MAX_SAFE_INTEGER) }) as const;
  await counter.addColumns(span, { column, positions: undefined, first: 0, end: 2 }, unhurried.pause);
  const most = Number.MAX_SAFE_INTEGER;
  const { total } = await counter.answer({ since: "", until: "", complete: true }, unhurried.pause);
  expect(total).toMatchObject({ received_bytes: most, sent_bytes: most, minutes: most });
});
