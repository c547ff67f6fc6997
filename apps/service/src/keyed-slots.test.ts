import { expect, it } from "vitest";
import { KeyedSlots } from "./keyed-slots.js";

const never = new AbortController().signal;

it("slots are given to a few tasks of each key, in their order", async () => {
  const slots = new KeyedSlots(1);
  const order: string[] = [];
  const run = async (name: string): Promise<void> => {
    const release = await slots.take(name.slice(0, 1), never);
    order.push(name);
    await new Promise(setImmediate);
    release?.();
  };
  await Promise.all(["a1", "b1", "a2", "a3", "b2"].map(run));
  expect(order).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  expect(await slots.take("a", never)).toBeDefined();
});

it("slots are not given to a task that has stopped waiting", async () => {
  const slots = new KeyedSlots(1);
  const release = await slots.take("a", never);
  expect(await slots.take("a", AbortSignal.timeout(5))).toBeUndefined();
  release?.();
  expect(await slots.take("a", never)).toBeDefined();
  expect(await slots.take("b", AbortSignal.abort())).toBeUndefined();
});
