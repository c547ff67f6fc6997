import { expect, it } from "vitest";
import { firstIdAt, type IdRange, idBounds } from "./sorted-ids.js";

const at = (ms: number): string => firstIdAt(ms);

it.each<[string, IdRange, [string, string][]]>([
  [
    "all ids",
    { order: "newest" },
    [
      [">=", at(0)],
      ["<", at(Number.POSITIVE_INFINITY)],
    ],
  ],
  [
    "ids of a time",
    { order: "newest", since: 100, until: 200 },
    [
      [">=", at(100)],
      ["<", at(200)],
    ],
  ],
  [
    "what comes after an id in it",
    { order: "newest", since: 100, until: 200, after: `${at(150)}x` },
    [
      [">=", at(100)],
      ["<", `${at(150)}x`],
    ],
  ],
  [
    "the same from the oldest on",
    { order: "oldest", since: 100, until: 200, after: `${at(150)}x` },
    [
      [">", `${at(150)}x`],
      ["<=", at(200)],
    ],
  ],
  [
    "a part of it",
    { order: "newest", since: 100, until: 200, after: `${at(150)}x`, upTo: `${at(120)}x` },
    [
      [">=", `${at(120)}x`],
      ["<", `${at(150)}x`],
    ],
  ],
  [
    "a part from the oldest on",
    { order: "oldest", since: 100, until: 200, upTo: `${at(120)}x` },
    [
      [">", at(100)],
      ["<=", `${at(120)}x`],
    ],
  ],
  [
    "what a cursor outside of the time asks for",
    { order: "newest", since: 100, until: 200, after: `${at(300)}x` },
    [
      [">=", at(100)],
      ["<", at(200)],
    ],
  ],
])("%s: one condition for each end", (_, range, bounds) => {
  expect(idBounds(range)).toEqual(bounds);
});
