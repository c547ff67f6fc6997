import { expect, it } from "vitest";
import { newUrl } from "../test/notes.js";
import { openThings, thingTables } from "../test/things.js";
import { type CopiedRow, type CopiedTable, hashOf, readPages } from "./tables.js";

const letters: CopiedTable = thingTables.find(({ name }) => name === "letter") ?? expect.fail();

async function sizesOf(rows: number, bytes: number, after?: readonly unknown[]): Promise<number[]> {
  const { query } = await openThings(await newUrl("an SQLite file"));
  const text = "x".repeat(bytes);
  const values = Array.from({ length: rows }, () => ({ text }));
  for (let at = 0; at < rows; at += 1000)
    await query
      .insertInto("letter")
      .values(values.slice(at, at + 1000))
      .execute();
  const sizes: number[] = [];
  const ids: unknown[] = [];
  for await (const piece of readPages(query, letters, after)) {
    sizes.push(piece.length);
    ids.push(...piece.map(({ id }) => id));
  }
  const first = after === undefined ? 0 : Number(after[0]);
  expect(ids).toEqual(Array.from({ length: rows - first }, (_, at) => first + at + 1));
  return sizes;
}

it("small rows are read in large pages, and each once", async () => {
  expect(await sizesOf(6000, 10)).toEqual([200, 2000, 2000, 1800]);
});

it("large rows are read in pages of a few megabytes", async () => {
  expect(await sizesOf(300, 100_000)).toEqual([200, 41, 41, 18]);
});

it("rows are read from after a key", async () => {
  expect(await sizesOf(500, 10, [480])).toEqual([20]);
  expect(await sizesOf(200, 10, [200])).toEqual([]);
});

const hashed = (row: CopiedRow): bigint => hashOf(row, { columns: { a: "text", b: "text" } });

it("different rows have different hashes", () => {
  const values = [null, "", "null", "null,", 0, "0", 1, -1, "text 0 ,", Buffer.of(), Buffer.of(0), "00", "\0\0"];
  const rows = values.flatMap((a) => values.map((b) => ({ a, b })));
  expect(new Set(rows.map(hashed)).size).toBe(rows.length);
});

it("NUL has the same hash as its symbol, and a missing value the same as null", () => {
  expect(hashed({ a: "x\0y", b: null })).toBe(hashed({ a: "x\u2400y" }));
});
