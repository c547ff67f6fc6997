import { expect, test } from "vitest";
import { dateWriter } from "./date-writer.js";

test("what writes times is made once for each kind of them", () => {
  const inBerlin = dateWriter("en-US", { timeZone: "Europe/Berlin", hour: "numeric" });
  expect(dateWriter("en-US", { timeZone: "Europe/Berlin", hour: "numeric" })).toBe(inBerlin);
  const inNewYork = dateWriter("en-US", { timeZone: "America/New_York", hour: "numeric" });
  expect([inBerlin, inNewYork].map((writer) => writer.resolvedOptions().timeZone)).toEqual([
    "Europe/Berlin",
    "America/New_York",
  ]);
});
