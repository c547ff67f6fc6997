import { describe, expect, it } from "vitest";
import { foundOf, searchEntries } from "./filters/matcher.js";

const at = (second: number) => `2026-11-21T12:00:${String(second % 60).padStart(2, "0")}Z`;
const full = Array.from({ length: 1000 }, (_, index) => ({ timestamp: at(59), status: index % 2 ? 200 : 503 }));
const oldest = Date.parse(at(59));
const failed = {
  kind: "webhooks",
  filters: [{ field: "status", negated: false, test: { is: ">=", value: 400 } }],
} as const;

describe("a search among the entries that the service lists", () => {
  it("returns the matching entries in their order", () => {
    const listed = [
      { timestamp: at(3), status: 500 },
      { timestamp: at(2), status: 200 },
      { timestamp: at(1), status: 404 },
    ];
    expect(searchEntries(failed, listed)).toEqual({
      entries: [listed[0], listed[2]],
      mayLackOlder: false,
      completeSince: undefined,
    });
  });

  it.each([
    ["may lack older ones if the list is full", undefined, true, oldest],
    ["may lack older ones if the list ends within the period", oldest - 1, true, oldest],
    ["lacks none if the list reaches back beyond the period", oldest + 1, false, oldest + 1],
  ])("%s", (_, since, mayLackOlder, completeSince) => {
    expect(searchEntries({ ...failed, since }, full)).toMatchObject({ mayLackOlder, completeSince });
  });

  it("survives entries of any shape", () => {
    expect(searchEntries(failed, [...full.slice(1), { timestamp: 5 }])).toMatchObject({ mayLackOlder: true });
    expect(searchEntries(failed, [])).toEqual({ entries: [], mayLackOlder: false, completeSince: undefined });
  });

  it("is summed up in a few words", () => {
    expect(foundOf(37, 1000)).toBe("37 of 1,000");
    expect(foundOf(1000, 1000)).toBe("1,000");
  });
});
