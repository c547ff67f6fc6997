import { describe, expect, it, vi } from "vitest";
import { PartlyWritten } from "../storage/postgres-writer.js";
import type { Batch, NewEntry, ProjectBatch } from "./log-store.js";
import { LogWriter, type LogWriterOptions } from "./log-writer.js";

const entry = (text: string): NewEntry => ({ projectId: "demo", kind: "api", timestamp: "2026-04-01T09:30:15Z", text });
const entries = (from: number, count: number): NewEntry[] =>
  Array.from({ length: count }, (_, i) => entry(String(from + i)));

const textsOf = (batches: readonly ProjectBatch[]): string[] =>
  batches.flatMap((batch) => batch.entries.map(({ text }) => text));

/** A writer whose commits the test settles. */
function openWriter(options: Partial<LogWriterOptions> = {}) {
  const commits: { texts: string[]; batch: Batch | undefined; done(): void; fail(error: Error): void }[] = [];
  const commit = (batches: readonly ProjectBatch[]): Promise<void> =>
    new Promise((done, fail) => commits.push({ texts: textsOf(batches), batch: batches[0]?.batch, done, fail }));
  return { writer: new LogWriter({ commit, ...options }), commits };
}

const nextCommit = (commits: unknown[], count: number) => expect.poll(() => commits.length).toBe(count);

describe("entries", () => {
  it("are written soon, together", async () => {
    const { writer, commits } = openWriter();
    writer.record(entry("a"));
    writer.record(entry("b"));
    await nextCommit(commits, 1);
    expect(commits[0]?.texts).toEqual(["a", "b"]);
  });

  it("are retried until they can be written, in their order", async () => {
    vi.useFakeTimers();
    try {
      let works = false;
      const written: string[] = [];
      const changes: unknown[] = [];
      const writer = new LogWriter({
        commit: async (batch) => {
          if (!works) throw new Error("disk full");
          written.push(...textsOf(batch));
        },
        onChange: (error) => changes.push(error instanceof Error ? error.message : error),
      });
      writer.record(entry("a"));
      await vi.advanceTimersByTimeAsync(100);
      writer.record(entry("b"));
      await vi.advanceTimersByTimeAsync(5000);
      expect(writer.error).toEqual(new Error("disk full"));
      expect(writer.waiting).toBe(2);
      works = true;
      await vi.advanceTimersByTimeAsync(2000);
      expect(written).toEqual(["a", "b"]);
      expect(changes).toEqual(["disk full", undefined]);
      expect(writer.error).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("of a project that cannot be written do not hold up those of others, and follow in their order", async () => {
    vi.useFakeTimers();
    try {
      const failed = new Set(["down"]);
      const written: string[] = [];
      const numbers = new Map<string, number[]>();
      const changes: unknown[] = [];
      const writer = new LogWriter({
        commit: async (batches) => {
          for (const { projectId, entries, batch } of batches.filter((one) => !failed.has(one.projectId))) {
            written.push(...entries.map(({ text }) => `${projectId} ${text}`));
            numbers.set(projectId, [...(numbers.get(projectId) ?? []), batch?.number ?? 0]);
          }
          if (batches.some(({ projectId }) => failed.has(projectId))) {
            throw new PartlyWritten(failed, new Error("a worker is down"));
          }
        },
        onChange: (error) => changes.push(error instanceof PartlyWritten ? "failed" : error),
      });
      for (const text of ["a", "b", "c"]) {
        for (const projectId of ["down", "up"]) writer.record({ ...entry(text), projectId });
        await vi.advanceTimersByTimeAsync(1530);
      }
      expect(written).toEqual(["up a", "up b", "up c"]);
      expect([writer.waiting, writer.error]).toEqual([3, expect.any(PartlyWritten)]);
      failed.clear();
      // Before the others are retried.
      writer.record({ ...entry("d"), projectId: "down" });
      await writer.settled();
      await vi.advanceTimersByTimeAsync(3000);
      expect(written.slice(3)).toEqual(["down a", "down b", "down c", "down d"]);
      // A batch with a smaller number than the last one of its project would count as written.
      for (const own of numbers.values()) expect(own).toEqual([...new Set(own)].sort((one, other) => one - other));
      expect([writer.waiting, writer.error]).toEqual([0, undefined]);
      expect(changes).toEqual(["failed", undefined]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("are lost from the oldest on if too many wait for a project that cannot be written", async () => {
    vi.useFakeTimers();
    try {
      let isDown = true;
      const written: string[] = [];
      const writer = new LogWriter({
        commit: async (batch) => {
          if (isDown) throw new PartlyWritten(new Set(["demo"]), new Error("a worker is down"));
          written.push(...textsOf(batch));
        },
        maxWaiting: 3,
      });
      for (const text of ["a", "b", "c", "d", "e"]) {
        writer.record(entry(text));
        await vi.advanceTimersByTimeAsync(1500);
      }
      expect([writer.waiting, writer.lost]).toEqual([3, 2]);
      isDown = false;
      await vi.advanceTimersByTimeAsync(3000);
      expect(written).toEqual(["c", "d", "e"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that failed are retried as the same batch; later ones form the next batch", async () => {
    const { writer, commits } = openWriter();
    writer.record(entry("a"));
    await nextCommit(commits, 1);
    writer.record(entry("b"));
    commits[0]?.fail(new Error("the connection was lost"));
    const flushed = writer.flush();
    await nextCommit(commits, 2);
    commits[1]?.done();
    await nextCommit(commits, 3);
    commits[2]?.done();
    await flushed;
    expect(commits.map(({ texts }) => texts)).toEqual([["a"], ["a"], ["b"]]);
    const [first, again, next] = commits.map(({ batch }) => batch);
    expect(again).toEqual(first);
    expect(next).toEqual({ writer: first?.writer, number: (first?.number ?? 0) + 1 });
  });

  it("that failed are the oldest, and given up first; the rest of their batch keeps its name", async () => {
    const { writer, commits } = openWriter({ maxWaiting: 3 });
    for (const one of entries(0, 3)) writer.record(one);
    await nextCommit(commits, 1);
    commits[0]?.fail(new Error("disk full"));
    await expect.poll(() => writer.waiting).toBe(3);
    for (const one of entries(3, 2)) writer.record(one);
    expect([writer.waiting, writer.lost]).toEqual([3, 2]);
    const settled = writer.settled();
    await nextCommit(commits, 2);
    expect(commits[1]).toMatchObject({ texts: ["2"], batch: commits[0]?.batch });
    commits[1]?.done();
    await settled;
    writer.close();
    expect(writer.lost).toBe(4);
  });

  it("do not fill the memory if writing fails: the oldest are given up, and counted", async () => {
    const { writer, commits } = openWriter({ maxWaiting: 10 });
    for (const one of entries(0, 25)) writer.record(one);
    expect(writer.waiting).toBe(10);
    expect(writer.lost).toBe(15);
    const flushed = writer.flush();
    await nextCommit(commits, 1);
    expect(commits[0]?.texts).toEqual(entries(15, 10).map(({ text }) => text));
    commits[0]?.done();
    await flushed;
  });
});

describe("a log kind", () => {
  it("is waiting from the moment an entry of it is recorded until it is written, unlike other kinds", async () => {
    const { writer, commits } = openWriter();
    expect(writer.isWaiting("api")).toBe(false);
    writer.record(entry("a"));
    expect([writer.isWaiting("api"), writer.isWaiting("webhooks")]).toEqual([true, false]);
    await nextCommit(commits, 1);
    expect(writer.isWaiting("api")).toBe(true);
    commits[0]?.done();
    await writer.settled();
    expect(writer.isWaiting("api")).toBe(false);
  });

  it("stays waiting if its entry could not be written", async () => {
    const { writer, commits } = openWriter();
    writer.record(entry("a"));
    const settled = writer.settled();
    await nextCommit(commits, 1);
    commits[0]?.fail(new Error("disk full"));
    await settled;
    expect(writer.isWaiting("api")).toBe(true);
    writer.close();
  });

  it("stays waiting if its entry did not fit into a commit", async () => {
    const { writer, commits } = openWriter();
    for (const one of entries(0, 2001)) writer.record(one);
    const settled = writer.settled();
    await nextCommit(commits, 1);
    commits[0]?.done();
    await settled;
    expect([writer.waiting, writer.isWaiting("api")]).toEqual([1, true]);
    writer.close();
  });
});

describe("a flush", () => {
  it("ends when all waiting entries are written, however many they are", async () => {
    const written: string[] = [];
    const writer = new LogWriter({ commit: async (batches) => void written.push(...textsOf(batches)) });
    for (const one of entries(0, 4500)) writer.record(one);
    await writer.flush();
    expect(written).toHaveLength(4500);
    expect(writer.waiting).toBe(0);
  });

  it("waits for the commit in progress", async () => {
    const { writer, commits } = openWriter();
    writer.record(entry("a"));
    await nextCommit(commits, 1);
    let isFlushed = false;
    const flushed = writer.flush().then(() => {
      isFlushed = true;
    });
    await new Promise(setImmediate);
    expect(isFlushed).toBe(false);
    commits[0]?.done();
    await flushed;
  });

  it("rejects if the entries cannot be written", async () => {
    const writer = new LogWriter({ commit: () => Promise.reject(new Error("disk full")) });
    writer.record(entry("a"));
    await expect(writer.flush()).rejects.toThrow("disk full");
  });

  it("that failed can be ended: entries that were not written count as lost, and are not retried", async () => {
    let tries = 0;
    const commit = () => {
      tries += 1;
      return Promise.reject(new Error("disk full"));
    };
    const writer = new LogWriter({ commit });
    vi.useFakeTimers();
    try {
      writer.record(entry("a"));
      await expect(writer.flush()).rejects.toThrow("disk full");
      writer.close();
      await vi.advanceTimersByTimeAsync(10_000);
    } finally {
      vi.useRealTimers();
    }
    expect({ tries, lost: writer.lost }).toEqual({ tries: 1, lost: 1 });
  });
});
