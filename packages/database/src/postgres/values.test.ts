import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openNotes, textsOf } from "../test/notes.js";

it("a NUL in a text, which PostgreSQL cannot keep, becomes the sign for it, wherever the text stands", async () => {
  const database = await openNotes(await postgresUrl());
  await database.query.insertInto("note").values({ text: "a\0b" }).execute();
  await database.writeAll([
    { sql: "insert into note (text) values ($1)", parameters: ["\0"] },
    { sql: "insert into note (text) select * from unnest($1::text[])", parameters: [["x\0\0y", 'q"{},\\', null]] },
  ]);
  expect(await textsOf(database)).toEqual(["a\u2400b", "\u2400", "x\u2400\u2400y", 'q"{},\\', null]);
  expect(await database.query.selectFrom("note").select("id").where("text", "=", "a\0b").execute()).toEqual([
    { id: 1 },
  ]);
});

it("bytes stay bytes, numbers numbers, and null is null", async () => {
  const { query } = await openNotes(await postgresUrl());
  await sql`create table odd (bytes bytea, number bigint, text text)`.execute(query);
  const bytes = Buffer.from([0, 1, 92, 255]);
  const odd = [
    { bytes, number: Number.MAX_SAFE_INTEGER, text: "" },
    { bytes: Buffer.alloc(0), number: -1, text: "NULL" },
    { bytes: null, number: null, text: null },
  ];
  for (const row of odd) await sql`insert into odd values (${row.bytes}, ${row.number}, ${row.text})`.execute(query);
  await sql`insert into odd values (${new Uint8Array([7, 8, 9]).subarray(1, 2)}, 0, '')`.execute(query);
  const { rows } = await sql`select * from odd`.execute(query);
  expect(rows).toEqual([...odd, { bytes: Buffer.from([8]), number: 0, text: "" }]);
});

it("a value that is no text, number or bytes is refused, and the next question is answered", async () => {
  const database = await openNotes(await postgresUrl());
  const insert = (value: unknown) =>
    database.writeAll([{ sql: "insert into note (text) values ($1)", parameters: [value] }]);
  for (const value of [{}, new Date(0), [{}], Symbol("x")]) await expect(insert(value)).rejects.toThrow(TypeError);
  await insert("one");
  expect(await textsOf(database)).toEqual(["one"]);
});
