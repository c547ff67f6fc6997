import { describe, expect, it } from "vitest";
import { Slots } from "./pace.js";

describe("slots", () => {
  it("are given to keys in turn, not to the key with the most calls first", async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const run = async (name: string, key: string): Promise<void> => {
      expect(await slots.take(key, 5000)).toBe(true);
      order.push(name);
      await Promise.resolve();
      slots.give();
    };
    await Promise.all([run("a1", "a"), run("a2", "a"), run("a3", "a"), run("b1", "b"), run("a4", "a"), run("b2", "b")]);
    expect(order).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
    expect(await slots.take("c", 0)).toBe(true);
  });

  it("are not given to who has stopped waiting", async () => {
    const slots = new Slots(1);
    await slots.take("a", 0);
    expect(await slots.take("a", 5)).toBe(false);
    slots.give();
    expect(await slots.take("b", 0)).toBe(true);
  });
});
