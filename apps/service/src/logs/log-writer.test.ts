import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PartlyWritten } from "../storage/postgres-writer.js";
import type { Batch, NewEntry, ProjectBatch } from "./log-store.js";
import { LogWriter, type LogWriterOptions } from "./log-writer.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const entry = (text: string, projectId = "demo"): NewEntry => {
  return { projectId, kind: "api", timestamp: "2026-04-01T09:30:15Z", text };
};
const entries = (from: number, count: number): NewEntry[] =>
  Array.from({ length: count }, (_, i) => entry(String(from + i)));
const textsOf = (batches: readonly ProjectBatch[]): string[] =>
  batches.flatMap((batch) => batch.entries.map(({ text }) => text));

/** A writer whose commits the test settles. */
function openWriter(options: Partial<LogWriterOptions> = {}) {
  const commits: { texts: string[]; batch: Batch | undefined; done(): void; fail(error: Error): void }[] = [];
  const commit = (batches: readonly ProjectBatch[]): Promise<void> =>
    new Promise((done, fail) => commits.push({ texts: textsOf(batches), batch: batches[0]?.batch, done, fail }));
  const writer = new LogWriter({ commit, ...options });
  return {
    writer,
    commits,
    /** Records entries, and waits until they are being committed. */
    async record(...all: NewEntry[]) {
      for (const one of all) writer.record(one);
      await pass(30);
    },
  };
}

/** A writer that fails with an error as long as there is one. */
function failingWriter(options: Partial<LogWriterOptions> = {}) {
  const state: { error: Error | undefined; tries: number } = { error: new Error("disk full"), tries: 0 };
  const written: string[] = [];
  const writer = new LogWriter({
    async commit(batches) {
      state.tries += 1;
      if (state.error) throw state.error;
      written.push(...textsOf(batches));
    },
    ...options,
  });
  return { writer, written, state };
}

describe("entries", () => {
  it("are written soon, together", async () => {
    const { commits, record } = openWriter();
    await record(entry("a"), entry("b"));
    expect(commits.map(({ texts }) => texts)).toEqual([["a", "b"]]);
  });

  it("are retried until they can be written, in their order", async () => {
    const changes: unknown[] = [];
    const { writer, written, state } = failingWriter({ onChange: (error) => changes.push(error) });
    const { error } = state;
    writer.record(entry("a"));
    await pass(100);
    writer.record(entry("b"));
    await pass(5000);
    expect([writer.error, writer.waiting]).toEqual([error, 2]);
    state.error = undefined;
    await pass(2000);
    expect(written).toEqual(["a", "b"]);
    expect(changes).toEqual([error, undefined]);
    expect(writer.error).toBeUndefined();
  });

  it("of a project that cannot be written do not hold up those of others, and follow in their order", async () => {
    const failed = new Set(["down"]);
    const written: string[] = [];
    const numbers = new Map<string, number[]>();
    const changes: unknown[] = [];
    const writer = new LogWriter({
      async commit(batches) {
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
      for (const projectId of ["down", "up"]) writer.record(entry(text, projectId));
      await pass(1530);
    }
    expect(written).toEqual(["up a", "up b", "up c"]);
    expect([writer.waiting, writer.error]).toEqual([3, expect.any(PartlyWritten)]);
    failed.clear();
    // Before the others are retried.
    writer.record(entry("d", "down"));
    await writer.settled();
    await pass(3000);
    expect(written.slice(3)).toEqual(["down a", "down b", "down c", "down d"]);
    // A batch with a smaller number than the last one of its project would count as written.
    for (const own of numbers.values()) expect(own).toEqual([...new Set(own)].sort((one, other) => one - other));
    expect([writer.waiting, writer.error]).toEqual([0, undefined]);
    expect(changes).toEqual(["failed", undefined]);
  });

  it("are lost from the oldest on if too many wait for a project that cannot be written", async () => {
    const { writer, written, state } = failingWriter({ maxWaiting: 3 });
    state.error = new PartlyWritten(new Set(["demo"]), new Error("a worker is down"));
    for (const text of ["a", "b", "c", "d", "e"]) {
      writer.record(entry(text));
      await pass(1500);
    }
    expect([writer.waiting, writer.lost]).toEqual([3, 2]);
    state.error = undefined;
    await pass(3000);
    expect(written).toEqual(["c", "d", "e"]);
  });

  it("that failed are retried as the same batch; later ones form the next batch", async () => {
    const { writer, commits, record } = openWriter();
    await record(entry("a"));
    writer.record(entry("b"));
    commits[0]?.fail(new Error("the connection was lost"));
    const flushed = writer.flush();
    await pass(0);
    commits[1]?.done();
    await pass(0);
    commits[2]?.done();
    await flushed;
    expect(commits.map(({ texts }) => texts)).toEqual([["a"], ["a"], ["b"]]);
    const [first, again, next] = commits.map(({ batch }) => batch);
    expect(again).toEqual(first);
    expect(next).toEqual({ writer: first?.writer, number: (first?.number ?? 0) + 1 });
  });

  it("that failed are the oldest, and given up first; the rest of their batch keeps its name", async () => {
    const { writer, commits, record } = openWriter({ maxWaiting: 3 });
    await record(...entries(0, 3));
    commits[0]?.fail(new Error("disk full"));
    await pass(0);
    for (const one of entries(3, 2)) writer.record(one);
    expect([writer.waiting, writer.lost]).toEqual([3, 2]);
    const settled = writer.settled();
    await pass(0);
    expect(commits[1]).toMatchObject({ texts: ["2"], batch: commits[0]?.batch });
    commits[1]?.done();
    await settled;
    writer.close();
    expect(writer.lost).toBe(4);
  });

  it("do not fill the memory if writing fails: the oldest are given up, and counted", async () => {
    const { writer, commits, record } = openWriter({ maxWaiting: 10 });
    await record(...entries(0, 25));
    expect(writer.lost).toBe(15);
    expect(commits[0]?.texts).toEqual(entries(15, 10).map(({ text }) => text));
  });
});

describe("a log kind is waiting", () => {
  it("from the moment an entry of it is recorded until it is written, unlike other kinds", async () => {
    const { writer, commits, record } = openWriter();
    expect(writer.isWaiting("api")).toBe(false);
    const recorded = record(entry("a"));
    expect([writer.isWaiting("api"), writer.isWaiting("webhooks")]).toEqual([true, false]);
    await recorded;
    expect(writer.isWaiting("api")).toBe(true);
    commits[0]?.done();
    await writer.settled();
    expect(writer.isWaiting("api")).toBe(false);
  });

  it.each([
    ["could not be written", 1, (commit: { fail(error: Error): void }) => commit.fail(new Error("disk full"))],
    ["did not fit into a commit", 2001, (commit: { done(): void }) => commit.done()],
  ])("also after its entry %s", async (_, count, settle) => {
    const { writer, commits, record } = openWriter();
    await record(...entries(0, count));
    if (commits[0]) settle(commits[0]);
    await pass(0);
    expect([writer.waiting, writer.isWaiting("api")]).toEqual([1, true]);
    writer.close();
  });
});

describe("a flush", () => {
  it("ends when all waiting entries are written, however many they are", async () => {
    const { writer, written, state } = failingWriter();
    state.error = undefined;
    for (const one of entries(0, 4500)) writer.record(one);
    await writer.flush();
    expect([written.length, writer.waiting]).toEqual([4500, 0]);
  });

  it("waits for the commit in progress", async () => {
    const { writer, commits, record } = openWriter();
    await record(entry("a"));
    let isFlushed = false;
    const flushed = writer.flush().then(() => {
      isFlushed = true;
    });
    await pass(0);
    expect(isFlushed).toBe(false);
    commits[0]?.done();
    await flushed;
  });

  it("rejects if the entries cannot be written; after the end they count as lost, and are not retried", async () => {
    const { writer, state } = failingWriter();
    writer.record(entry("a"));
    await expect(writer.flush()).rejects.toThrow("disk full");
    writer.close();
    await pass(10_000);
    expect([state.tries, writer.lost]).toEqual([1, 1]);
  });
});
