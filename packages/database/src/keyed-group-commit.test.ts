import { expect, it } from "vitest";
import { keyedGroupCommit } from "./keyed-group-commit.js";

/** Commits that end when they are told to; the key is the item's first letter. */
function start() {
  const underWay: { items: readonly string[]; end(): void; fail(error: Error): void }[] = [];
  const settled: unknown[] = [];
  let groups = 0;
  const commits = keyedGroupCommit<string, string>({
    keyOf: (item) => item[0] ?? "",
    // Read once for each group that is made.
    get enough() {
      groups += 1;
      return 64;
    },
    commit: (items) =>
      new Promise((resolve, fail) => {
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
      }),
    onSettled: (error) => void settled.push(error),
  });
  const now = (): string[] => underWay.map(({ items }) => items.join()).sort();
  const commitOf = (items: string) => {
    const found = underWay.find((one) => one.items.join() === items);
    return found ?? expect.fail(`Under way are: ${now().join(" and ")}`);
  };
  return { commits, settled, now, commitOf, groups: () => groups };
}

it("those of one key share a commit, and those of another have theirs at the same time", async () => {
  const { commits, now, commitOf } = start();
  const added = ["a1", "b1", "a2", "b2"].map((item) => commits.add(item));
  await expect.poll(now).toEqual(["a1,a2", "b1,b2"]);
  commitOf("b1,b2").end();
  expect(await Promise.all([added[1], added[3]])).toEqual(["done b1", "done b2"]);
  commitOf("a1,a2").end();
  expect(await Promise.all(added)).toEqual(["done a1", "done b1", "done a2", "done b2"]);
});

it("commits of one key go one after another, and no other key waits for them", async () => {
  const { commits, now, commitOf } = start();
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

it("a commit that fails fails those of its key, and no others", async () => {
  const { commits, now, commitOf, settled } = start();
  const [bad, good] = [commits.add("a1"), commits.add("b1")];
  await expect.poll(now).toEqual(["a1", "b1"]);
  const full = new Error("the disk is full");
  const failing = expect(bad).rejects.toBe(full);
  commitOf("a1").fail(full);
  await failing;
  commitOf("b1").end();
  expect(await good).toBe("done b1");
  await commits.settled();
  expect(settled).toEqual([full, undefined]);
  const again = commits.add("a2");
  await expect.poll(now).toEqual(["a2"]);
  commitOf("a2").end();
  expect(await again).toBe("done a2");
});

it("has settled when all that was added has, of every key, also what came meanwhile and what failed", async () => {
  const { commits, now, commitOf } = start();
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

it("keeps nothing of a key that has nothing to do, and one group for one that has", async () => {
  const { commits, now, commitOf, groups } = start();
  const first = commits.add("a1");
  await expect.poll(now).toEqual(["a1"]);
  const second = commits.add("a2");
  expect(groups()).toBe(1);
  commitOf("a1").end();
  await first;
  await expect.poll(now).toEqual(["a2"]);
  commitOf("a2").end();
  await second;
  const third = commits.add("a3");
  expect(groups()).toBe(2);
  await expect.poll(now).toEqual(["a3"]);
  commitOf("a3").end();
  await third;
});
