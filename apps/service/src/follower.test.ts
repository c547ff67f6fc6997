import { expect, it, onTestFinished, vi } from "vitest";
import { Follower } from "./follower.js";

/** Rows that change, and a follower of them that refreshes on its own only every `everyMs`. */
async function follow({ rows = ["a"], everyMs = 3_600_000 } = {}) {
  const table = [...rows];
  const kept: string[] = [];
  const errors: unknown[] = [];
  /** `error` fails all reads while it is set, or only the next one with `once`. */
  const reads = { count: 0, error: undefined as Error | undefined, once: undefined as Error | undefined };
  let pause: Promise<void> = Promise.resolve();
  const follower = await Follower.start<string>({
    async read(since, limit) {
      reads.count += 1;
      const error = reads.once ?? reads.error;
      reads.once = undefined;
      const found = table.slice(since, since + limit);
      await pause;
      if (error) throw error;
      return { rows: found, version: since + found.length };
    },
    keep: (row) => kept.push(row),
    everyMs,
    onChange: (error) => errors.push(error),
  });
  onTestFinished(() => follower.close());
  return {
    ...{ follower, kept, errors, reads },
    change: (row: string) => void table.push(row),
    readings: () => reads.count,
    fail(error: Error) {
      reads.once = error;
    },
    /** Holds reads until the returned function is called. */
    hold: () => {
      let release = (): void => {};
      pause = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

it("knows all rows from the start, in any number, and reports each change once", async () => {
  const rows = Array.from({ length: 12_345 }, (_, at) => `row ${at}`);
  const { follower, kept, change } = await follow({ rows });
  expect(kept).toEqual(rows);
  change("changed");
  await follower.refresh();
  await follower.refresh();
  expect(kept).toEqual([...rows, "changed"]);
});

it("reads changes periodically, until it is closed", async () => {
  const { follower, kept, change, readings } = await follow({ everyMs: 1 });
  change("b");
  await expect.poll(() => kept).toEqual(["a", "b"]);
  follower.close();
  await follower.refresh();
  const before = readings();
  await new Promise((done) => setTimeout(done, 20));
  expect(readings()).toBe(before);
});

it("concurrent callers share one read, which begins after their calls", async () => {
  const { follower, kept, change, readings, hold } = await follow();
  const release = hold();
  const first = follower.refresh();
  change("b");
  const others = Array.from({ length: 10 }, () => follower.refresh());
  expect(readings()).toBe(2);
  release();
  await first;
  await Promise.all(others);
  expect(readings()).toBe(3);
  expect(kept).toEqual(["a", "b"]);
});

it("a failed read rejects its callers, and the next call reads again", async () => {
  const { follower, kept, change, fail } = await follow();
  change("b");
  fail(new Error("the disk is gone"));
  await expect(follower.refresh()).rejects.toThrow("the disk is gone");
  await follower.refresh();
  expect(kept).toEqual(["a", "b"]);
});

it("a failed read does not fail the calls that were made after it had begun", async () => {
  const { follower, kept, change, fail, hold } = await follow();
  const release = hold();
  fail(new Error("the disk is gone"));
  const first = expect(follower.refresh()).rejects.toThrow("the disk is gone");
  change("b");
  const second = follower.refresh();
  release();
  await first;
  await second;
  expect(kept).toEqual(["a", "b"]);
});

it("a read that fails after long fails the calls that waited for it, too, so that none waits twice as long", async () => {
  const { follower, readings, fail, hold } = await follow();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const release = hold();
  fail(new Error("PostgreSQL hangs"));
  const both = [follower.refresh(), follower.refresh()];
  vi.advanceTimersByTime(5000);
  release();
  for (const call of both) await expect(call).rejects.toThrow("PostgreSQL hangs");
  expect(readings()).toBe(2);
  await follower.refresh();
});

it("reports once that it cannot read, and once that it can again", async () => {
  const { kept, change, readings, errors, reads } = await follow({ everyMs: 1 });
  const error = new Error("the disk is gone");
  reads.error = error;
  change("b");
  await expect.poll(() => errors).toEqual([error]);
  const before = readings();
  await expect.poll(() => readings()).toBeGreaterThan(before + 3);
  expect(kept).toEqual(["a"]);
  reads.error = undefined;
  await expect.poll(() => kept).toEqual(["a", "b"]);
  await expect.poll(() => errors).toEqual([error, undefined]);
});

it("does not start if it cannot read", async () => {
  const starting = Follower.start({
    read: () => Promise.reject(new Error("there is no table")),
    keep: () => {},
    everyMs: 1,
    onChange: () => {
      throw new Error("It goes on reading.");
    },
  });
  await expect(starting).rejects.toThrow("there is no table");
});

it("refreshSoon reads at most once in its interval, and includes all changes before the call", async () => {
  const { follower, kept, change, readings } = await follow();
  const before = readings();
  await follower.refreshSoon(200);
  expect(readings()).toBe(before + 1);
  change("b");
  const since = performance.now();
  await Promise.all(Array.from({ length: 100 }, () => follower.refreshSoon(200)));
  expect(performance.now() - since).toBeGreaterThan(150);
  expect(readings()).toBe(before + 2);
  expect(kept).toContain("b");
});

it("reads nothing after it is closed, and pending calls resolve", async () => {
  const { follower, readings } = await follow();
  await follower.refreshSoon(100);
  const waiting = follower.refreshSoon(100);
  follower.close();
  await waiting;
  expect(readings()).toBe(2);
});
