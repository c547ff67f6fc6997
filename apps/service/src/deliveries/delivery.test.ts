import { expect, it } from "vitest";
import { nextTryAt } from "./delivery.js";

const [second, minute, hour] = [1000, 60_000, 3_600_000];

// As promised in docs/operating.md.
it.each([
  [0, 0],
  [1, 5 * second],
  [2, 5 * minute],
  [3, 30 * minute],
  [4, 2 * hour],
  [5, 5 * hour],
  [6, 10 * hour],
  [7, 14 * hour],
  [8, 20 * hour],
  [9, 24 * hour],
])("after %i tries, the next one follows after %i ms, plus up to a tenth", (tries, delay) => {
  expect(nextTryAt(tries, 1_000_000, 0)).toBe(1_000_000 + delay);
  expect(nextTryAt(tries, 1_000_000, 1)).toBe(1_000_000 + (delay * 11) / 10);
});

it("the tenth try is the last", () => {
  expect([nextTryAt(9, 0, 0), nextTryAt(10, 0, 0)]).toEqual([24 * hour, undefined]);
});
