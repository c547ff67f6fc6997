import { expect, it } from "vitest";
import { firstIdAt, type IdRange, idBounds } from "./sorted-ids.js";

const [from, until, end] = [100, 200, Number.POSITIVE_INFINITY].map(firstIdAt);
const [low, high, outside] = [120, 150, 300].map((ms) => `${firstIdAt(ms)}x`);
const time = { since: 100, until: 200 };

it.each<[string, IdRange, string[]]>([
  ["all ids", { order: "newest" }, [`>= ${firstIdAt(0)}`, `< ${end}`]],
  ["ids of a time", { order: "newest", ...time }, [`>= ${from}`, `< ${until}`]],
  ["what comes after an id in it", { order: "newest", ...time, after: high }, [`>= ${from}`, `< ${high}`]],
  ["the same from the oldest on", { order: "oldest", ...time, after: high }, [`> ${high}`, `<= ${until}`]],
  ["a part of it", { order: "newest", ...time, after: high, upTo: low }, [`>= ${low}`, `< ${high}`]],
  ["a part from the oldest on", { order: "oldest", ...time, upTo: low }, [`> ${from}`, `<= ${low}`]],
  ["a cursor outside of the time", { order: "newest", ...time, after: outside }, [`>= ${from}`, `< ${until}`]],
])("%s: one condition for each end", (_, range, bounds) => {
  expect(idBounds(range).map((bound) => bound.join(" "))).toEqual(bounds);
});
