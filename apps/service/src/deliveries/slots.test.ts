import { expect, it } from "vitest";
import { Slots } from "./slots.js";

it("gives so many, and tells those who wait in their order, each once", () => {
  const slots = new Slots(2);
  const told: string[] = [];
  const [a, b] = [() => void told.push("a"), () => void told.push("b")];
  expect([slots.take(a), slots.take(a), slots.take(a), slots.take(b), slots.take(a)]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  slots.give();
  expect(told).toEqual(["a"]);
  slots.give();
  slots.give();
  expect(told).toEqual(["a", "b"]);
});
