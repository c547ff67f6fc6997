import { expect, it } from "vitest";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.js";

/** A group commit whose commits end when they are told to. */
function start(options: Pick<GroupCommitOptions<string, string>, "atOnce" | "enough"> = {}) {
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

it("what comes at once shares a commit; what comes while it is under way goes into the next, in its order", async () => {
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

it("nobody is told that it is done before it is", async () => {
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

it("a commit that fails fails all that was in it, and nothing else", async () => {
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

it("a commit that does not give a result for each item is a failure, and nobody is given another's", async () => {
  const { commits, batch, settled } = start();
  const added = [commits.add("a"), commits.add("b")];
  (await batch(0)).end(["done b"]);
  const failed = { status: "rejected", reason: { message: "A commit gives a result for each item." } };
  expect(await Promise.allSettled(added)).toMatchObject([failed, failed]);
  await commits.settled();
  expect(settled).toHaveLength(1);
});

it("takes so many into one commit that those who come next are not held up for long", async () => {
  const { commits, batch } = start({ enough: 5000 });
  const added = Array.from({ length: 4001 }, (_, at) => commits.add(String(at)));
  const sizes: number[] = [];
  for (const at of [0, 1, 2]) {
    const { items, end } = await batch(at);
    sizes.push(items.length);
    end();
  }
  expect(sizes).toEqual([2000, 2000, 1]);
  expect((await Promise.all(added)).at(-1)).toBe("done 4000");
});

it("begins another commit beside the one under way, where it may and enough have come", async () => {
  const { commits, batch, batches } = start({ atOnce: 2, enough: 3 });
  const first = commits.add("a");
  await batch(0);
  const second = [commits.add("b"), commits.add("c")];
  await new Promise((done) => setImmediate(done));
  expect(batches).toHaveLength(1);
  second.push(commits.add("d"));
  expect((await batch(1)).items).toEqual(["b", "c", "d"]);
  const third = ["e", "f", "g", "h"].map((item) => commits.add(item));
  expect(batches).toHaveLength(2);
  batches[1]?.end();
  expect(await Promise.all(second)).toEqual(["done b", "done c", "done d"]);
  expect((await batch(2)).items).toEqual(["e", "f", "g", "h"]);
  batches[2]?.end();
  batches[0]?.end();
  expect(await first).toBe("done a");
  expect((await Promise.all(third)).at(-1)).toBe("done h");
});

it("has settled when all that was added has, also what came meanwhile", async () => {
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
