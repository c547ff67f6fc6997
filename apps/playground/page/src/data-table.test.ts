import { describe, expect, test } from "vitest";
import { alignments, nextSorting, readRows, sortRows } from "./data-table.js";

const text = (words: string) => ({ type: "raw_text", text: words });
const number = (value: number, words: string) => ({ type: "raw_number", value, text: words });
const date = (timestamp: number) => ({
  type: "rich_text",
  elements: [
    {
      type: "rich_text_section",
      elements: [{ type: "date", timestamp, format: "{date_num}", fallback: `at ${timestamp}` }],
    },
  ],
});

const block = {
  type: "data_table",
  rows: [
    [text("Time"), text("Status"), text("Took"), text("Event")],
    [date(30), number(200, "✓ 200"), number(1240, "1.24 s"), text("item10")],
    [date(4), number(503, "✗ 503"), number(84, "84 ms"), text("item9")],
    [date(200), number(404, "▲ 404"), number(10_000, "10 s"), text("item9")],
  ],
};
const [, ...rows] = readRows(block);
const order = (column: number, direction: "ascending" | "descending") =>
  sortRows(rows, { column, direction }).map((row) => rows.indexOf(row));

describe("a table is sorted", () => {
  test.each([
    ["with times in chronological order", 0, [1, 0, 2]],
    ["with numbers by value, not by text", 1, [0, 2, 1]],
    ["with durations by length", 2, [1, 0, 2]],
    ["with texts in natural order, and equal ones in their original order", 3, [1, 2, 0]],
  ])("%s", (_, column, expected) => {
    expect(order(column, "ascending")).toEqual(expected);
  });

  test("in descending order, too", () => {
    expect(order(2, "descending")).toEqual([2, 0, 1]);
  });

  test("by repeated clicks: ascending, descending, unsorted", () => {
    const up = nextSorting(undefined, 1);
    const down = nextSorting(up, 1);
    expect([up?.direction, down?.direction, nextSorting(down, 1)]).toEqual(["ascending", "descending", undefined]);
    expect(nextSorting(down, 2)).toEqual({ column: 2, direction: "ascending" });
  });
});

test("only columns that read as numbers are right-aligned", () => {
  expect(alignments(readRows(block))).toEqual(["left", "left", "right", "left"]);
});
