import { expect, it } from "vitest";
import type { CopiedRow } from "./copied-table.js";
import { RowSum } from "./row-sum.js";

function sumOf(...rows: CopiedRow[]): string {
  const sum = new RowSum(["a", "b"]);
  for (const row of rows) sum.add(row);
  expect(sum.rows).toBe(rows.length);
  return sum.value;
}

it("no two rows that are not the same have the same sum", () => {
  const values = [null, "", "null", "null,", 0, "0", 1, -1, "text 0 ,", Buffer.of(), Buffer.of(0), "00", "\0\0"];
  const rows = values.flatMap((a) => values.map((b) => ({ a, b })));
  expect(new Set(rows.map((row) => sumOf(row))).size).toBe(rows.length);
});

it("the order of rows is nothing, and how often one is there is something", () => {
  const [one, two] = [
    { a: "1", b: 1 },
    { a: "2", b: 2 },
  ];
  expect(sumOf(one, two)).toBe(sumOf(two, one));
  expect(sumOf(one, one)).not.toBe(sumOf(one));
  expect(sumOf(one, one)).not.toBe(sumOf(two, two));
  expect(sumOf()).toBe("0000000000000000");
});

it("a NUL counts as the sign for it, and what is left out as null", () => {
  expect(sumOf({ a: "x\0y", b: null })).toBe(sumOf({ a: "x\u2400y" }));
});
