import { describe, expect, it, onTestFinished } from "vitest";
import { createLog } from "../log.js";
import { type LogName, logKinds, type NewEntry } from "../logs/log-store.js";
import { DAY_MS } from "../storage/day-partitions.js";
import { openTestStorage } from "../test/harness.js";
import { allOf, openIndexedLogs, placesIn, SMALL_SIZES } from "../test/indexed-logs.js";
import { Indexer, type IndexerOptions, Lease } from "./indexer.js";
import { dropSegments } from "./log-indexer.js";

const start = Date.parse("2026-04-01T09:00:00Z");
const log: LogName = ["demo", logKinds.api.number];
const all = { from: "", until: "~" };
const upTo = (seq: number): number[] => Array.from({ length: seq }, (_, at) => at + 1);

const entries = (count: number, from = start, step = 10): NewEntry[] =>
  Array.from({ length: count }, (_, at) => {
    const timestamp = new Date(from + at * step).toISOString();
    return { projectId: "demo", kind: "api", timestamp, text: JSON.stringify({ timestamp, status: 200 }) };
  });

/** Opens logs, with a clock that tests set, and indexers that look at them often. */
async function openAll() {
  const clock = { time: start + 3_600_000 };
  const now = () => clock.time;
  const opened = await openIndexedLogs(now);
  const lines: string[] = [];
  const logger = createLog({ level: "info", to: { write: (line) => void lines.push(line) } });
  const { storage } = opened;
  const startIndexer = (options: Partial<IndexerOptions> = {}): Indexer => {
    const write: IndexerOptions["write"] = (statements) => storage.writeAll(statements);
    const indexer = new Indexer({
      database: storage,
      write,
      log: logger,
      now,
      everyMs: 5,
      sizes: SMALL_SIZES,
      ...options,
    });
    onTestFinished(() => indexer.stop());
    return indexer;
  };
  return { ...opened, clock, startIndexer, logged: () => lines.join("") };
}

describe("the indexer", () => {
  it("indexes what is there, what is added and what is late, and counts what is not indexed", async () => {
    const { logs, reader, clock, startIndexer } = await openAll();
    await logs.append(entries(50));
    const indexer = startIndexer({ sizes: { ...SMALL_SIZES, late: 1000 } });
    const tail = async () => (await placesIn(reader, log)).tail.length;
    await expect.poll(tail).toBeLessThan(SMALL_SIZES.smallest);
    await logs.append([...entries(30, start + 500), ...entries(3, clock.time)]);
    await expect.poll(tail).toBeLessThan(SMALL_SIZES.smallest + 3);
    await expect.poll(() => indexer.backlog).toBe(3);
    await logs.append(entries(2));
    expect((await placesIn(reader, log)).late).toHaveLength(2);
    const lateAfterMinutes = async () => {
      clock.time += 60_000;
      return (await placesIn(reader, log)).late;
    };
    await expect.poll(lateAfterMinutes).toEqual([]);
    expect(allOf(await placesIn(reader, log))).toEqual(upTo(85));
  });

  it("logs its progress with a large backlog, and corrects a count that is too high", async () => {
    const { logs, storage, startIndexer, logged } = await openAll();
    await logs.append(entries(64));
    await storage.query.updateTable("log_head").set({ seq: 200_064 }).execute();
    const indexer = startIndexer();
    await expect.poll(logged).toMatch(/200,064 log entries are to be indexed.*64 log entries were indexed in \d+ s/s);
    await expect.poll(() => indexer.backlog).toBe(0);
  });

  it("goes on after the database could not be written", async () => {
    const { logs, reader, storage, startIndexer, logged } = await openAll();
    await logs.append(entries(64));
    let isAway = true;
    startIndexer({
      async write(statements) {
        if (isAway) throw new Error("the database is away");
        return storage.writeAll(statements);
      },
    });
    await expect.poll(logged).toContain("log entries cannot be indexed");
    isAway = false;
    await expect.poll(logged).toContain("log entries are indexed again");
    await expect.poll(async () => (await placesIn(reader, log)).tail).toEqual([]);
  });

  it("indexes the other logs if one cannot be", async () => {
    const { logs, reader, storage, startIndexer, logged } = await openAll();
    // The longest one comes first.
    await logs.append(entries(80).map((entry) => ({ ...entry, projectId: "broken" })));
    await logs.append(entries(64));
    startIndexer({
      async write(statements) {
        if (statements.some(({ parameters }) => parameters.includes("broken"))) throw new Error("this log is broken");
        return storage.writeAll(statements);
      },
    });
    await expect.poll(async () => (await placesIn(reader, log)).tail).toEqual([]);
    // Logged at the end of the attempt, which another log need not wait for.
    await expect.poll(logged).toContain("this log is broken");
  });

  it("works in one of the processes that share a database, and in another once that has ended", async () => {
    const { logs, reader, storage, clock, startIndexer } = await openAll();
    const writes = [0, 0];
    const counting = (at: 0 | 1): Indexer =>
      startIndexer({
        async write(statements) {
          writes[at] = (writes[at] ?? 0) + 1;
          return storage.writeAll(statements);
        },
      });
    await logs.append(entries(64));
    const first = counting(0);
    await expect.poll(async () => (await placesIn(reader, log)).tail).toEqual([]);
    const second = counting(1);
    await logs.append(entries(64, start + 1000));
    await expect.poll(async () => (await placesIn(reader, log)).tail).toEqual([]);
    await first.stop();
    await logs.append(entries(64, start + 2000));
    await expect.poll(() => second.backlog).toBe(64);
    expect(writes[1]).toBe(0);
    clock.time += 15_000;
    await expect.poll(async () => (await placesIn(reader, log)).tail).toEqual([]);
    expect(writes[1]).toBeGreaterThan(0);
  });

  it("writes nothing while nothing is to be indexed", async () => {
    const { logs, startIndexer } = await openAll();
    await logs.append(entries(3));
    let writes = 0;
    const indexer = startIndexer({
      async write() {
        writes += 1;
        return [];
      },
    });
    await expect.poll(() => indexer.backlog).toBe(3);
    expect(writes).toBe(0);
  });
});

describe("a lease", () => {
  it("is held by one process until it expires, whatever a wrong clock wrote", async () => {
    const storage = await openTestStorage();
    const times = { one: start, other: start };
    const write: IndexerOptions["write"] = (all) => storage.writeAll(all);
    const leaseOf = (owner: "one" | "other") =>
      new Lease("test", owner, { database: storage, write, now: () => times[owner] });
    const [one, other] = [leaseOf("one"), leaseOf("other")];
    expect([await one.hold(), await other.hold()]).toEqual([true, false]);
    times.one += 14_000;
    times.other += 16_000;
    expect([await one.hold(), await other.hold()]).toEqual([true, false]);
    times.other += 14_000;
    times.one += 10_000;
    expect([await other.hold(), await one.hold()]).toEqual([true, false]);
    times.one -= 365 * DAY_MS;
    expect(await one.hold()).toBe(true);
    await storage.query.updateTable("setting").set({ value: "not JSON" }).execute();
    times.other = start;
    expect(await other.hold()).toBe(true);
  });

  it("is taken by one of many at the same moment", async () => {
    const storage = await openTestStorage();
    const taken = await Promise.all(
      upTo(8).map((owner) => {
        const write: IndexerOptions["write"] = (all) => storage.writeAll(all);
        return new Lease("test", `${owner}`, { database: storage, write, now: () => start }).hold();
      }),
    );
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
  });
});

describe("the retention", () => {
  it("deletes segments whose entries have all expired, with their parts and late entries", async () => {
    const { logs, reader, indexer, storage, clock } = await openAll();
    clock.time += 2 * DAY_MS;
    // Two segments end before the second day, one has entries of both days.
    await logs.append(entries(60, start, 1_500_000));
    await indexer.indexLog(log);
    const before = await reader.segments(log, all, "oldest", 10);
    expect(before.map((segment) => segment.entries)).toEqual([16, 16, 16, 12]);
    await logs.append([...entries(1, start), ...entries(1, start + 8 * 3_600_000)]);
    const day = Date.parse("2026-04-02T00:00:00Z");
    for (let times = 0; times < 2; times++) await dropSegments(storage, day, new AbortController().signal);
    const after = await reader.segments(log, all, "oldest", 10);
    expect(after).toEqual([{ ...before[2], fromAt: "" }, before[3]]);
    expect((await reader.late(log, all, "newest")).rows).toEqual([]);
    expect(await reader.nextBuild(log, 0)).toBe(before[2]?.build);
  });

  it("keeps a build that has begun from being written", async () => {
    const { logs, reader, newIndexer, storage } = await openAll();
    await logs.append(entries(20, start, 3_600_000 * 6));
    const day = start + DAY_MS;
    const later = () => start + 30 * DAY_MS;
    await newIndexer({ now: later, sizes: { ...SMALL_SIZES, full: 4 } }).indexLog(log);
    await logs.append(entries(1, start + 1));
    let isFirst = true;
    const interrupted = newIndexer({
      now: later,
      async pause() {
        if (isFirst) await dropSegments(storage, day, new AbortController().signal);
        isFirst = false;
      },
    });
    expect(await interrupted.rebuildLate(log)).toBe(false);
    const segments = await reader.segments(log, all, "oldest", 10);
    expect(segments.map(({ fromAt }) => fromAt)).toEqual(["", ...segments.slice(0, -1).map(({ untilAt }) => untilAt)]);
  });
});
