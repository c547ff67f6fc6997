import { deflateRawSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { type LogKind, sortKey } from "../logs/log-store.js";
import { unhurried } from "../reads/along.js";
import { openIndexedLogs, SMALL_SIZES } from "../test/indexed-logs.js";
import { type Column, SEQ_COLUMN } from "./columns.js";
import { fromMicros, toMicros } from "./moments.js";
import { columnBytes, compress, readColumn } from "./segment-format.js";
import type { Segment } from "./segment-store.js";

const start = Date.parse("2026-04-01T09:00:00Z");
const later = () => start + 3_600_000;
const all = { from: "", until: "~" };
const { pause } = unhurried;

const { logs, reader, indexer, newIndexer, newLog } = await openIndexedLogs(later, { atEnd: afterAll });

/** Writes a log with entries of these fields, a second apart, in one segment each 16. */
async function write(kind: LogKind, entries: readonly object[], by = indexer) {
  const { projectId, log, run } = newLog(kind, by);
  const texts = entries.map((fields, at) => {
    const timestamp = new Date(start + at * 1000).toISOString();
    return { timestamp, text: JSON.stringify({ timestamp, ...fields }) };
  });
  await run(texts, "index");
  const segments = await reader.segments(log, all, "oldest", 1000);
  const keys = texts.map(({ timestamp }) => sortKey(timestamp));
  return { projectId, log, segments, texts: texts.map(({ text }) => text), keys };
}

/** The values of a column of a log with such entries in one segment. */
async function columnOf(kind: LogKind, entries: readonly object[], name: string): Promise<Column> {
  const { log, segments } = await write(kind, entries);
  return reader.column(log, segments[0] ?? expect.unreachable("no segment"), name, pause);
}

/** The values of a column; null for an entry without the field. */
function valuesOf(column: Column): (string | number | null)[] {
  if (column.type === "number") return [...column.values].map((value) => (Number.isNaN(value) ? null : value));
  return [...column.codes].map((code) => column.dictionary[code] ?? null);
}

describe("a column", () => {
  const numbers = [0, 1, -1, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 2 ** 47, 2 ** 53 - 1, -(2 ** 53)];
  it.each([
    [numbers],
    [[0.5, 1e300, -1e-300, 0]],
    [[null, 200, "200", true, {}, [1], undefined, 0]],
    [[7, 7, 7, 7]],
    [[null, null, null, null]],
    [[200, 65_735, 200, 456]],
    [[4_294_967_295, 4_294_967_294, 0, 4_294_967_295]],
    [[1e12, 1e12 + 3, 1e12 + 1, 1e12 - 7]],
  ])("has the numbers of %j", async (values) => {
    const entries = values.map((status) => ({ status }));
    const kept = entries.map((entry) => JSON.parse(JSON.stringify(entry)).status);
    const wanted = kept.map((value) => (typeof value === "number" ? value : null));
    expect(valuesOf(await columnOf("api", entries, "status"))).toEqual(wanted);
  });

  it("has texts of any characters, and tells an empty one from none", async () => {
    const urls = ["", "a", "\0", "\ud800", "ü💥", "a".repeat(10_000), null, 5, undefined, "a"];
    const entries = urls.map((url) => ({ url }));
    const wanted = urls.map((url) => (typeof url === "string" ? url : null));
    expect(valuesOf(await columnOf("api", entries, "url"))).toEqual(wanted);
    expect(valuesOf(await columnOf("api", entries, SEQ_COLUMN))).toEqual(urls.map((_, at) => at + 1));
  });

  it.each([
    ["as one stream, as it once was", 11, async (bytes: Buffer) => deflateRawSync(bytes)],
    ["as several", 16, compress],
  ])("lets others continue while its many texts are read, compressed %s", async (_, most, toCompressed) => {
    const dictionary = Array.from({ length: 10_000 }, (_, at) => `https://example.com/hooks/${at}/${"a".repeat(100)}`);
    const bytes = columnBytes({ type: "text", dictionary, codes: Uint16Array.from(dictionary.keys()) });
    let pauses = 0;
    const column = await readColumn(await toCompressed(bytes), async () => {
      pauses += 1;
    });
    expect(valuesOf(column)).toEqual(dictionary);
    expect(pauses).toBeGreaterThan(most);
  });

  it("has times in µs, or as sort keys if one has more digits or is a leap second", async () => {
    const whole = ["2026-04-01T09:30:15Z", "2026-04-01T09:30:15.100Z", "2026-04-01T09:30:15.123456Z"];
    const times = [...whole, null, "yesterday"];
    for (const more of [[], ["2026-04-01T09:30:15.1234567Z"], ["2016-12-31T23:59:60Z"], ["2026-02-31T00:00:00Z"]]) {
      const entries = [...times, ...more].map((created_timestamp) => ({ created_timestamp }));
      const column = await columnOf("sessions", entries, "created_timestamp");
      expect(column.type).toBe(more.length === 0 ? "number" : "text");
      const keys = valuesOf(column).map((value) => (typeof value === "number" ? fromMicros(value) : value));
      const shown = [...times, ...more].map((time) => (time?.endsWith("Z") ? sortKey(time) : null));
      expect(keys).toEqual(shown);
    }
  });
});

describe("the segments of a range", () => {
  it("are those that overlap it, in the order asked for", async () => {
    const { log, keys } = await write("api", Array(80).fill({}));
    const of = async (from: string, until: string, order: "newest" | "oldest", limit = 10): Promise<string[]> =>
      (await reader.segments(log, { from, until }, order, limit)).map(({ firstAt }) => firstAt);
    const starts = [0, 16, 32, 48, 64].map((at) => keys[at] ?? "");
    expect(await of("", "~", "oldest")).toEqual(starts);
    expect(await of("", "~", "newest", 2)).toEqual([starts[4], starts[3]]);
    expect(await of(keys[20] ?? "", keys[40] ?? "", "oldest")).toEqual([starts[1], starts[2]]);
    expect(await of(keys[20] ?? "", keys[40] ?? "", "newest", 1)).toEqual([starts[2]]);
    expect(await of(`${keys[79]} `, "~", "newest")).toEqual([]);
    expect(await of("", keys[0] ?? "", "newest")).toEqual([starts[0]]);
    expect(await reader.indexedUntil(log)).toBe(`${keys[79]} `);
    expect(await reader.indexedUntil(["other", 1])).toBe("");
  });

  it("have the ranges and the few values of their fields", async () => {
    const entries = Array.from({ length: 32 }, (_, at) => ({ status: at < 16 ? 200 : 500 + at, url: `/${at % 3}` }));
    const { segments, keys } = await write("api", entries);
    expect(segments[0]?.fields).toMatchObject({
      timestamp: { min: toMicros(keys[0] ?? ""), max: toMicros(keys[15] ?? "") },
      url: { values: ["/0", "/1", "/2"] },
      status: { min: 200, max: 200, values: [200] },
      count: { values: [null] },
    });
    expect(segments[1]?.fields.status).toMatchObject({ min: 516, max: 531 });
  });
});

describe("a segment has the texts of what failed", () => {
  it("with their times and seqs, whatever characters they have", async () => {
    const fields = [{ status: 200 }, { status: 0, url: "É\n💥\ud800" }, { status: "500" }, { status: 400 }];
    const { log, segments, texts, keys } = await write("webhooks", fields);
    const [segment] = segments;
    expect(segment?.fields.status?.hasFailedTexts).toBe(true);
    expect(segment && (await reader.failed(log, segment, pause))).toEqual([
      { at: keys[1], seq: 2, entry: texts[1] },
      { at: keys[3], seq: 4, entry: texts[3] },
    ]);
  });

  it("unless they are too long, or nothing fails in the log", async () => {
    const urls = ["a".repeat(600), "a".repeat(500)];
    const calls = urls.flatMap((url) => [{ url, status: 500 }, ...Array(15).fill({ url, status: 200 })]);
    const { segments } = await write("api", calls);
    expect(segments.map(({ fields }) => fields.status?.hasFailedTexts)).toEqual([undefined, true]);
    const sessions = await write("sessions", Array(8).fill({ status: 500 }));
    expect(sessions.segments[0]?.fields.status).toBeUndefined();
  });
});

describe("entries", () => {
  it("are read in pages, in both orders, from a position on", async () => {
    const entries = Array.from({ length: 20 }, (_, count) => ({ count }));
    const { projectId, log, texts, keys } = await write("api", entries);
    const timestamp = `${keys[10]}Z`;
    const twins = [1, 2, 3].map((n) => JSON.stringify({ timestamp, n }));
    await logs.append(twins.map((text) => ({ projectId, kind: "api", timestamp, text })));
    const oldestFirst = [...texts.slice(0, 11), ...twins, ...texts.slice(11)];
    for (const order of ["oldest", "newest"] as const) {
      const read: string[] = [];
      for (let after: { at: string; seq: number } | undefined; ; ) {
        const rows = await reader.rows(log, all, order, 2, after);
        read.push(...rows.map(({ entry }) => entry));
        after = rows.at(-1);
        if (!after) break;
      }
      expect(read).toEqual(order === "oldest" ? oldestFirst : [...oldestFirst].reverse());
    }
    const some = await reader.rows(log, { from: keys[3] ?? "", until: keys[5] ?? "" }, "oldest", 10);
    expect(some.map(({ entry }) => entry)).toEqual(texts.slice(3, 5));
    const found = await reader.rowsAt(log, [keys[11], keys[10], "2026", keys[10]].map(String), "newest");
    expect(found.map(({ entry }) => entry)).toEqual([texts[11], ...[...twins].reverse(), texts[10]]);
    expect(await reader.rowsAt(log, [], "newest")).toEqual([]);
  });
});

describe("the index of ids", () => {
  it("finds every entry with an id, and says where there are many", async () => {
    const entries = Array.from({ length: 500 }, (_, at) => ({
      channel_id: `room-${at % 7}@demo`,
      session_id: `S${at >> 1}`,
      client_id: at % 5 === 0 ? null : "camera",
    }));
    const large = newIndexer({ sizes: { ...SMALL_SIZES, full: 400 } });
    const { projectId, log, segments, keys } = await write("connections", entries, large);
    expect(segments.map((segment) => segment.entries)).toEqual([400, 100]);
    const keysOf = async (field: string, id: string) =>
      (await reader.postings(log, segments, field, [id])).map((found) => found.keys);
    for (const at of [0, 1, 77, 399, 400, 499]) {
      const wanted = keys.filter((_, other) => other >> 1 === at >> 1);
      expect(await keysOf("session_id", `S${at >> 1}`)).toEqual([wanted]);
    }
    const [first, second] = await keysOf("channel_id", `room-3@${projectId}`);
    expect(first).toEqual(keys.slice(0, 400).filter((_, at) => at % 7 === 3));
    expect(second).toEqual(keys.slice(400).filter((_, at) => (at + 400) % 7 === 3));
    expect(await keysOf("client_id", "camera")).toEqual([undefined, undefined]);
    const both = await reader.postings(log, segments, "session_id", ["S0", "S5", "S200", "other"]);
    expect(both.map((found) => found.keys)).toEqual([
      [0, 1, 10, 11].map((at) => keys[at]),
      [400, 401].map((at) => keys[at]),
    ]);
    expect(await keysOf("session_id", `room-3@${projectId}`)).toEqual([]);
    expect(await keysOf("connection_id", "S1")).toEqual([]);
  });

  it.each([
    ["with more than six digits", [1, 2, 3, 4].map((n) => `2026-04-01T09:00:0${n}.1234567Z`)],
    ["that are years apart", [2005, 2010, 2015, 2020].map((year) => `${year}-04-01T09:00:00Z`)],
  ])("is not there for times %s: then the column is read", async (_, timestamps) => {
    const { log, run } = newLog("sessions");
    const entryOf = (timestamp: string) => ({ timestamp, text: JSON.stringify({ timestamp, session_id: "a" }) });
    await run(timestamps.map(entryOf), "index");
    const segments: Segment[] = await reader.segments(log, all, "oldest", 10);
    expect(await reader.postings(log, segments, "session_id", ["a"])).toEqual([
      { segment: segments[0], keys: undefined },
    ]);
  });
});
