import { expect, it } from "vitest";
import { GroupCommit, type GroupCommitOptions, keyedGroupCommit } from "./group-commit.js";

/** A group commit whose commits end on demand. */
function start(options: Pick<GroupCommitOptions<string, string>, "atOnce"> = {}) {
  const batches: { items: readonly string[]; end(results?: readonly string[]): void; fail(error: Error): void }[] = [];
  const settled: unknown[] = [];
  const commits = new GroupCommit<string, string>({
    ...options,
    commit: (items) =>
      new Promise((resolve, fail) => {
        batches.push({ items, end: (results = items.map((item) => `done ${item}`)) => resolve(results), fail });
      }),
    onSettled: (error) => void settled.push(error),
  });
  const batch = async (at: number) => {
    await expect.poll(() => batches.length).toBe(at + 1);
    const found = batches[at];
    if (!found) throw new Error("There is no such batch.");
    return found;
  };
  return { commits, batch, batches, settled };
}

it("concurrent items share a commit; items that are added during a commit go into the next, in order", async () => {
  const { commits, batch, batches } = start();
  const first = ["a", "b"].map((item) => commits.add(item));
  const { items, end } = await batch(0);
  expect(items).toEqual(["a", "b"]);
  const others = ["c", "d", "e"].map((item) => commits.add(item));
  await new Promise((done) => setImmediate(done));
  expect(batches).toHaveLength(1);
  end();
  expect(await Promise.all(first)).toEqual(["done a", "done b"]);
  const second = await batch(1);
  expect(second.items).toEqual(["c", "d", "e"]);
  second.end();
  expect(await Promise.all(others)).toEqual(["done c", "done d", "done e"]);
  await commits.settled();
  expect(batches).toHaveLength(2);
});

it("a result is returned only after its commit", async () => {
  const { commits, batch } = start();
  let isTold = false;
  const added = commits.add("a").then(() => {
    isTold = true;
  });
  const { end } = await batch(0);
  await new Promise((done) => setImmediate(done));
  expect(isTold).toBe(false);
  end();
  await added;
  expect(isTold).toBe(true);
});

it("a failed commit fails its own items, and no others", async () => {
  const { commits, batch, settled } = start();
  const before = commits.add("a");
  (await batch(0)).end();
  expect(await before).toBe("done a");
  const within = [commits.add("poison"), commits.add("b")];
  const failing = await batch(1);
  const after = commits.add("b");
  const full = new Error("the disk is full");
  failing.fail(full);
  expect(await Promise.allSettled(within)).toEqual([
    { status: "rejected", reason: full },
    { status: "rejected", reason: full },
  ]);
  (await batch(2)).end();
  expect(await after).toBe("done b");
  await commits.settled();
  expect(settled).toEqual([undefined, full, undefined]);
});

it("a commit without a result for each item fails, and no caller receives another caller's result", async () => {
  const { commits, batch, settled } = start();
  const added = [commits.add("a"), commits.add("b")];
  (await batch(0)).end(["done b"]);
  const failed = { status: "rejected", reason: { message: "A commit must return a result for each item." } };
  expect(await Promise.allSettled(added)).toMatchObject([failed, failed]);
  await commits.settled();
  expect(settled).toHaveLength(1);
});

it("limits the size of a commit, so that later items do not wait long", async () => {
  const { commits, batch } = start();
  const added = Array.from({ length: 4101 }, (_, at) => commits.add(String(at)));
  const sizes: number[] = [];
  for (const at of [0, 1, 2, 3]) {
    const { items, end } = await batch(at);
    sizes.push(items.length);
    end();
  }
  expect(sizes).toEqual([64, 2000, 2000, 37]);
  expect((await Promise.all(added)).at(-1)).toBe("done 4100");
});

it("a committed item keeps its result, and later items are committed, even if onSettled throws", async () => {
  const calls: unknown[] = [];
  const commits = new GroupCommit<string, string>({
    commit: async (items) => items.map((item) => `done ${item}`),
    onSettled(error) {
      calls.push(error);
      throw new Error("a fault of the callback");
    },
  });
  for (const item of ["a", "b"]) {
    const added = commits.add(item);
    await expect(commits.settled()).rejects.toThrow("a fault of the callback");
    expect(await added).toBe(`done ${item}`);
  }
  expect(calls).toEqual([undefined, undefined]);
});

it("starts a concurrent commit if it is allowed and enough items are waiting", async () => {
  const { commits, batch, batches } = start({ atOnce: 2 });
  const first = commits.add("a");
  await batch(0);
  const names = (prefix: string, length: number) => Array.from({ length }, (_, at) => `${prefix}${at}`);
  const second = names("b", 63).map((item) => commits.add(item));
  await new Promise((done) => setImmediate(done));
  expect(batches).toHaveLength(1);
  second.push(commits.add("b63"));
  expect((await batch(1)).items).toEqual(names("b", 64));
  const third = names("c", 65).map((item) => commits.add(item));
  expect(batches).toHaveLength(2);
  batches[1]?.end();
  expect(await Promise.all(second)).toEqual(names("done b", 64));
  expect((await batch(2)).items).toEqual(names("c", 65));
  batches[2]?.end();
  batches[0]?.end();
  expect(await first).toBe("done a");
  expect((await Promise.all(third)).at(-1)).toBe("done c64");
});

it("settles once all items are committed, including those added meanwhile", async () => {
  const { commits, batch } = start();
  await commits.settled();
  const done: string[] = [];
  const note = (result: string): void => void done.push(result);
  void commits.add("a").then(note);
  const settled = commits.settled();
  const { end } = await batch(0);
  void commits.add("b").then(note);
  end();
  (await batch(1)).end();
  await settled;
  expect(done).toEqual(["done a", "done b"]);
});

/** Commits that end on demand; the key is the item's first letter. */
function startKeyed() {
  const underWay: { items: readonly string[]; end(): void; fail(error: Error): void }[] = [];
  const settled: unknown[] = [];
  const commit = (items: readonly string[]) =>
    new Promise<string[]>((resolve, fail) => {
      const one = {
        items,
        end() {
          underWay.splice(underWay.indexOf(one), 1);
          resolve(items.map((item) => `done ${item}`));
        },
        fail(error: Error) {
          underWay.splice(underWay.indexOf(one), 1);
          fail(error);
        },
      };
      underWay.push(one);
    });
  const options = {
    keyOf: (item: string) => item[0] ?? "",
    commit,
    onSettled: (error: unknown) => void settled.push(error),
  };
  const commits = keyedGroupCommit<string, string>(options);
  const now = (): string[] => underWay.map(({ items }) => items.join()).sort();
  const commitOf = (items: string) => {
    const found = underWay.find((one) => one.items.join() === items);
    return found ?? expect.fail(`Under way are: ${now().join(" and ")}`);
  };
  return { commits, settled, now, commitOf };
}

it("commits of one key run in sequence, and do not block other keys", async () => {
  const { commits, now, commitOf } = startKeyed();
  const first = commits.add("a1");
  await expect.poll(now).toEqual(["a1"]);
  const more = Array.from({ length: 100 }, (_, at) => commits.add(`a${at + 2}`));
  const others = ["b1", "c1"].map((item) => commits.add(item));
  await expect.poll(now).toEqual(["a1", "b1", "c1"]);
  commitOf("b1").end();
  commitOf("c1").end();
  expect(await Promise.all(others)).toEqual(["done b1", "done c1"]);
  expect(now()).toEqual(["a1"]);
  commitOf("a1").end();
  expect(await first).toBe("done a1");
  await expect.poll(() => now().length).toBe(1);
  commitOf(more.map((_, at) => `a${at + 2}`).join()).end();
  expect((await Promise.all(more)).at(-1)).toBe("done a101");
});

it("a failed commit fails the items of its key, and no others", async () => {
  const { commits, now, commitOf, settled } = startKeyed();
  const [bad, good] = [commits.add("a1"), commits.add("b1")];
  await expect.poll(now).toEqual(["a1", "b1"]);
  const full = new Error("the disk is full");
  const failing = expect(bad).rejects.toBe(full);
  commitOf("a1").fail(full);
  await failing;
  commitOf("b1").end();
  expect(await good).toBe("done b1");
  await commits.settled();
  // Its key still fails, so not all is well again.
  expect(settled).toEqual([full]);
  const again = commits.add("a2");
  await expect.poll(now).toEqual(["a2"]);
  commitOf("a2").end();
  expect(await again).toBe("done a2");
  expect(settled).toEqual([full, undefined]);
});

it("settles once the items of every key are committed or failed, including those added meanwhile", async () => {
  const { commits, now, commitOf } = startKeyed();
  await commits.settled();
  const added = Promise.allSettled([commits.add("a1"), commits.add("b1")]);
  let isSettled = false;
  const settled = commits.settled().then(() => {
    isSettled = true;
  });
  await expect.poll(now).toEqual(["a1", "b1"]);
  const late = commits.add("c1");
  commitOf("a1").end();
  commitOf("b1").fail(new Error("no room"));
  await added;
  await new Promise((turn) => setImmediate(turn));
  expect(isSettled).toBe(false);
  await expect.poll(now).toEqual(["c1"]);
  commitOf("c1").end();
  await late;
  await settled;
});
