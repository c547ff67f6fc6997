import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ReadLoad, Turns } from "./pace.js";

/** Begins several reads at once, named like "a1" after their project; returns the order in which they ran. */
async function runAll(names: readonly string[], run: (projectId: string, work: () => void) => Promise<void>) {
  const order: string[] = [];
  await Promise.all(names.map((name) => run(name.slice(0, 1), () => void order.push(name))));
  return order;
}

describe("turns", () => {
  it("are given to projects in rotation, whatever the number of their reads", async () => {
    const turns = new Turns(false);
    const order = await runAll(["a1", "a2", "a3", "b1", "a4", "b2"], async (project, work) => {
      await turns.next(project);
      work();
      turns.end(project, performance.now(), 4);
    });
    expect(order).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"]);
  });

  it("end before the project's next one begins, and a project that has taken much rests first", async () => {
    const turns = new Turns(true);
    await turns.next("a");
    const waiting = turns.next("a").then(() => "a");
    await turns.next("b");
    turns.end("a", performance.now() - 200, 200);
    turns.end("b", performance.now() - 20, 20);
    const others = turns.next("b").then(() => "b");
    expect(await Promise.race([waiting, others])).toBe("b");
    await waiting;
  });

  it("need no rest while the project is alone", async () => {
    const turns = new Turns(true);
    await turns.next("a");
    turns.end("a", performance.now() - 400, 400);
    expect(await Promise.race([turns.next("a").then(() => "works on"), setTimeout(50, "rests")])).toBe("works on");
  });
});

it.each([
  ["a long read lets", 1, 80, "at once"],
  ["many short reads of a project let", 80, 1, "at once"],
  ["short reads of a project, one after another, let", 80, 1, "in turn"],
])("%s the short one of another project go first, and work on when that one waits", async (_, reads, pieces, how) => {
  const load = new ReadLoad({ perMinute: 0, now: Date.now });
  const caller = { keyId: "k", signal: new AbortController().signal };
  const order: string[] = [];
  const work = (name: string, ms: number): void => {
    order.push(name);
    for (const until = performance.now() + ms; performance.now() < until; );
  };
  let isLong = (): void => {};
  const long = new Promise<void>((resolve) => {
    isLong = resolve;
  });
  const readOne = () =>
    load.run({ ...caller, projectId: "a" }, async (turns) => {
      for (let piece = 0; piece < pieces; piece++) {
        await turns.pause();
        work("a", 5);
        if (order.length === 50) isLong();
      }
    });
  const readAll = async (): Promise<void> => {
    const running: Promise<void>[] = [];
    for (let n = 0; n < reads; n++) {
      running.push(readOne());
      if (how === "in turn") await running.at(-1);
    }
    await Promise.all(running);
  };
  const reading = readAll();
  await long;
  order.length = 0;
  const since = performance.now();
  const countOthers = (): number => order.filter((name) => name === "a").length;
  await load.run({ ...caller, projectId: "b" }, async (turns) => {
    for (let piece = 0; piece < 4; piece++) {
      await turns.pause();
      work("b", 5);
      // As if it asked a database.
      await setTimeout(2);
    }
    // One piece may have begun before. On a busy machine, the short read takes longer than the other one waits.
    expect(countOthers()).toBeLessThan(2.5 + (performance.now() - since) / 50);
    await expect.poll(countOthers).toBeGreaterThan(3);
  });
  await reading;
});

it("reads that wait for the database at the same time share this time, so that none of them counts as much", async () => {
  const load = new ReadLoad({ perMinute: 0, now: Date.now, rest: true });
  const caller = { keyId: "k", signal: new AbortController().signal };
  const readFor = (projectId: string, ms: number) =>
    load.run({ ...caller, projectId }, async (turns) => {
      await turns.pause();
      await setTimeout(ms);
    });
  await Promise.all([readFor("a", 250), readFor("b", 250)]);
  expect([load.turns.isHeavy("a"), load.turns.isHeavy("b")]).toEqual([false, false]);
  await readFor("c", 250);
  expect(load.turns.isHeavy("c")).toBe(true);
});
