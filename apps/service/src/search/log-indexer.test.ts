import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { type LogName, logKinds, type NewEntry } from "../logs/log-store.js";
import { allOf, openIndexedLogs, placesIn, SMALL_SIZES } from "../test/indexed-logs.js";
import type { Segment, SegmentStore } from "./segment-store.js";

const start = Date.parse("2026-04-01T09:00:00Z");
const later = () => start + 3_600_000;
const log: LogName = ["demo", logKinds.connections.number];
const all = { from: "", until: "~" };

/** An entry so many milliseconds after the start. */
function entry(ms: number, more: object = {}): NewEntry {
  const timestamp = new Date(start + ms).toISOString();
  const text = JSON.stringify({
    timestamp,
    channel_id: "lobby@demo",
    session_id: `s${ms}`,
    total_sent_bytes: ms,
    ...more,
  });
  return { projectId: "demo", kind: "connections", timestamp, text };
}

const entries = (count: number, from = 0): NewEntry[] =>
  Array.from({ length: count }, (_, at) => entry(from + at * 10));
const upTo = (seq: number): number[] => Array.from({ length: seq }, (_, at) => at + 1);
const segmentsIn = (reader: SegmentStore): Promise<Segment[]> => reader.segments(log, all, "oldest", 1000);

/** Expects that the segments follow one another without a gap. */
function expectContiguous(segments: readonly Segment[]): void {
  expect(segments.map(({ fromAt }) => fromAt)).toEqual(["", ...segments.slice(0, -1).map(({ untilAt }) => untilAt)]);
}

describe("indexing a log", () => {
  it("puts every entry into one segment of about the full size, without a gap between segments", async () => {
    const { logs, reader, indexer, storage } = await openIndexedLogs(later);
    await logs.append(entries(100));
    expect(await indexer.indexLog(log)).toBe(true);
    const segments = await segmentsIn(reader);
    expect(segments.map((segment) => segment.entries)).toEqual([16, 16, 16, 16, 16, 16, 4]);
    expectContiguous(segments);
    expect(await placesIn(reader, log)).toEqual({ late: [], segments: upTo(100), tail: [] });
    const head = await storage.query.selectFrom("log_head").select(["seq", "indexed"]).executeTakeFirst();
    expect(head).toEqual({ seq: 100, indexed: 100 });
  });

  it("leaves entries alone that are too few or newer than two seconds", async () => {
    const { logs, reader, indexer, newIndexer } = await openIndexedLogs(later);
    await logs.append(entries(3));
    await indexer.indexLog(log);
    expect(await segmentsIn(reader)).toEqual([]);
    await logs.append(entries(20, 30));
    await newIndexer({ now: () => start + 2101 }).indexLog(log);
    expect(await placesIn(reader, log)).toEqual({ late: [], segments: upTo(11), tail: upTo(23).slice(11) });
  });

  it("counts no entry as indexed that is written while the count is corrected", async () => {
    const { logs, storage, newIndexer } = await openIndexedLogs(later);
    const headOf = () => storage.query.selectFrom("log_head").select(["seq", "indexed"]).executeTakeFirst();
    await logs.append(entries(20));
    await storage.query.updateTable("log_head").set({ seq: 200 }).execute();
    const indexer = newIndexer({
      async write(statements) {
        if (statements[0]?.sql.includes("set indexed = ") && statements.length === 1)
          await logs.append(entries(8, 1000));
        return storage.writeAll(statements);
      },
    });
    await indexer.sealTail(log);
    expect(await headOf()).toEqual({ seq: 208, indexed: 200 });
  });

  it("merges small segments, and deletes their parts half a minute later", async () => {
    let now = later();
    const { logs, reader, storage, newIndexer } = await openIndexedLogs(() => now);
    const indexer = newIndexer();
    for (let from = 0; from < 35; from += 5) {
      await logs.append(entries(5, from * 10));
      await indexer.indexLog(log);
    }
    const segments = await segmentsIn(reader);
    expect(segments.map((segment) => segment.entries)).toEqual([20, 5, 5, 5]);
    expectContiguous(segments);
    expect(await placesIn(reader, log)).toEqual({ late: [], segments: upTo(35), tail: [] });
    const partsOf = async () => {
      const rows = await storage.query.selectFrom("log_part").select("part").execute();
      return new Set(rows.map(({ part }) => Math.floor(part / 2 ** 17)));
    };
    expect((await partsOf()).size).toBe(8);
    now += 30_000;
    await indexer.deleteReplaced();
    expect(await partsOf()).toEqual(new Set(segments.map(({ build }) => build)));
  });

  it("keeps the parts of what another process indexes while it looks for parts that were left", async () => {
    let now = later();
    const { logs, reader, indexer, newIndexer } = await openIndexedLogs(() => now);
    await logs.append(entries(40));
    await indexer.indexLog(log);
    let isFirst = true;
    const other = newIndexer({
      async pause() {
        if (!isFirst) return;
        isFirst = false;
        await logs.append(entries(20, 1000));
        await indexer.indexLog(log);
      },
    });
    await other.indexLog(log);
    now += 31_000;
    await other.deleteReplaced();
    expect(isFirst).toBe(false);
    expect(await placesIn(reader, log)).toEqual({ late: [], segments: upTo(60), tail: [] });
  });

  it("divides a segment with very many late entries", async () => {
    const { logs, reader, indexer } = await openIndexedLogs(later);
    await logs.append(entries(17));
    await indexer.indexLog(log);
    await logs.append(Array.from({ length: 60 }, (_, at) => entry(at + 1)));
    await indexer.indexLog(log);
    const segments = await segmentsIn(reader);
    for (const segment of segments) expect(segment.entries).toBeLessThan(2 * SMALL_SIZES.full);
    expect(allOf(await placesIn(reader, log))).toEqual(upTo(77));
  });

  it("notes entries that arrive after their segment was begun, and builds it again with them", async () => {
    const { logs, reader, indexer, storage } = await openIndexedLogs(later);
    await logs.append(entries(32));
    await indexer.indexLog(log);
    await logs.append([entry(5), entry(4000), entry(-9000), entry(105)]);
    const { late, segments: indexed, tail } = await placesIn(reader, log);
    expect([late.sort(), indexed, tail]).toEqual([[33, 35, 36], upTo(32), [34]]);
    await indexer.indexLog(log);
    const segments = await segmentsIn(reader);
    expectContiguous(segments);
    expect((await placesIn(reader, log)).late).toEqual([]);
    expect(allOf(await placesIn(reader, log))).toEqual(upTo(36));
    // Noted too early: it is after the last segment.
    expect(await storage.query.selectFrom("log_late").select("seq").execute()).toEqual([{ seq: 34 }]);
  });

  it("keeps entries with equal times in one segment", async () => {
    const { logs, reader, indexer } = await openIndexedLogs(later);
    await logs.append([...entries(10), ...Array.from({ length: 50 }, () => entry(95)), ...entries(20, 100)]);
    await indexer.indexLog(log);
    const segments = await segmentsIn(reader);
    expect(segments.map((segment) => segment.entries)).toEqual([60, 16, 4]);
  });

  it("stays right if another process writes while a segment is built: one of them gives up", async () => {
    const { logs, reader, newIndexer } = await openIndexedLogs(later);
    await logs.append(entries(40));
    let isFirst = true;
    const slow = newIndexer({
      async pause() {
        if (!isFirst) return;
        isFirst = false;
        await newIndexer().indexLog(log);
        await logs.append([entry(7), entry(207)]);
      },
    });
    expect(await slow.indexLog(log)).toBe(false);
    const places = await placesIn(reader, log);
    expect(places.segments).toEqual(upTo(40));
    expect(allOf(places)).toEqual(upTo(42));
  });

  it("is done by several processes at once, while entries are appended", async () => {
    const { logs, reader, newIndexer, storage } = await openIndexedLogs(later);
    let isDone = false;
    let seed = 1;
    const random = (): number => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const append = async (): Promise<void> => {
      for (let batch = 0; batch < 60; batch++) {
        const count = 1 + Math.floor(random() * 8);
        await logs.append(Array.from({ length: count }, () => entry(Math.floor(random() * 1000))));
      }
      isDone = true;
    };
    const index = async (): Promise<void> => {
      while (!isDone) await newIndexer({ pause: () => new Promise((resolve) => setImmediate(resolve)) }).indexLog(log);
    };
    await Promise.all([append(), index(), index()]);
    const places = await placesIn(reader, log);
    const { rows } = await sql<{ seq: number }>`select seq from log_entry`.execute(storage.query);
    expect(allOf(places)).toEqual(upTo(rows.length));
    await newIndexer().indexLog(log);
    expect(allOf(await placesIn(reader, log))).toEqual(upTo(rows.length));
    expectContiguous(await segmentsIn(reader));
  });

  it("goes on where it was interrupted, between any two writes", async () => {
    for (let writes = 0; ; writes++) {
      const { logs, reader, newIndexer, storage } = await openIndexedLogs(later);
      await logs.append(entries(16));
      await newIndexer().indexLog(log);
      await logs.append([...entries(12, 160), entry(3)]);
      let left = writes;
      const interrupted = newIndexer({
        async write(statements) {
          if (left === 0) throw new Error("killed");
          left -= 1;
          return storage.writeAll(statements);
        },
      });
      const isKilled = await interrupted.indexLog(log).then(
        () => false,
        () => true,
      );
      expect(allOf(await placesIn(reader, log))).toEqual(upTo(29));
      await logs.append([entry(5), entry(165), entry(9000)]);
      expect(allOf(await placesIn(reader, log))).toEqual(upTo(32));
      await newIndexer({ sizes: { ...SMALL_SIZES, smallest: 1 } }).indexLog(log);
      expect(await placesIn(reader, log)).toMatchObject({ late: [], tail: [] });
      expect(allOf(await placesIn(reader, log))).toEqual(upTo(32));
      if (!isKilled) return expect(writes).toBeGreaterThan(3);
    }
  });
});
