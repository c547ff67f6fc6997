import { describe, expect, it } from "vitest";
import { Slots, Turns } from "./pace.js";

/** Begins several reads at once, named like "a1" after their project; returns the order in which they ran. */
async function runAll(names: readonly string[], run: (projectId: string, work: () => void) => Promise<void>) {
  const order: string[] = [];
  await Promise.all(names.map((name) => run(name.slice(0, 1), () => void order.push(name))));
  return order;
}

describe("turns", () => {
  it("are given to projects in rotation, whatever the number of their reads", async () => {
    const turns = new Turns();
    const order = await runAll(["a1", "a2", "a3", "b1", "a4", "b2"], (project, work) => turns.next(project).then(work));
    expect(order).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"]);
  });
});

describe("slots", () => {
  const runIn = (slots: Slots) => async (project: string, work: () => void) => {
    expect(await slots.take(project, 5000)).toBe(true);
    work();
    await Promise.resolve();
    slots.give(project);
  };

  it("are given to projects in turn, not to the one with the most reads first", async () => {
    const slots = new Slots(1, 1);
    const order = await runAll(["a1", "a2", "a3", "b1", "a4", "b2"], runIn(slots));
    expect(order).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
    expect(await slots.take("c", 0)).toBe(true);
  });

  it("leave one for another project, however many reads a project makes", async () => {
    const slots = new Slots(3, 2);
    expect(await Promise.all(["a", "a", "a"].map((project) => slots.take(project, 5)))).toEqual([true, true, false]);
    expect(await slots.take("b", 0)).toBe(true);
  });

  it("are not given to a read that has stopped waiting", async () => {
    const slots = new Slots(1, 1);
    await slots.take("a", 0);
    expect(await slots.take("a", 5)).toBe(false);
    slots.give("a");
    expect(await slots.take("b", 0)).toBe(true);
  });
});
