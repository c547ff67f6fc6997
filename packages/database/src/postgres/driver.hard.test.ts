import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { insertNote, openNotes, refusal, textsOf } from "../test/notes.js";

it("a NUL in a text, which PostgreSQL cannot store, is replaced by its symbol at any position", async () => {
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

it("bytes stay bytes, numbers stay numbers, and null stays null", async () => {
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

it("a value that is not text, a number or bytes is refused, and the next query succeeds", async () => {
  const database = await openNotes(await postgresUrl());
  const insert = (value: unknown) =>
    database.writeAll([{ sql: "insert into note (text) values ($1)", parameters: [value] }]);
  for (const value of [{}, new Date(0), [{}], Symbol("x")]) await expect(insert(value)).rejects.toThrow(TypeError);
  await insert("one");
  expect(await textsOf(database)).toEqual(["one"]);
});

it("concurrent writes in opposite order are retried after a deadlock", async () => {
  const url = await postgresUrl();
  const [one, other] = [await openNotes(url), await openNotes(url)];
  for (const text of ["0", "0"]) await insertNote(one, text);
  const add = (id: number) => ({ sql: "update note set text = text::bigint + 1 where id = $1", parameters: [id] });
  const pause = { sql: "select pg_sleep(0.1)", parameters: [] };
  await Promise.all([one.writeAll([add(1), pause, add(2)]), other.writeAll([add(2), pause, add(1)])]);
  expect(await textsOf(one)).toEqual(["2", "2"]);
  // Deadlocks really occurred.
  const deadlocks = async () => {
    const counted = sql<{
      deadlocks: number;
    }>`select deadlocks from pg_stat_database where datname = current_database()`;
    return (await counted.execute(one.query)).rows[0]?.deadlocks;
  };
  await expect.poll(deadlocks).toBeGreaterThan(0);
});

it("an emptied PostgreSQL database reports that it cannot be used, and works again when its tables are back", async () => {
  const database = await openNotes(await postgresUrl());
  await insertNote(database, "before");
  await sql`alter schema public rename to away`.execute(database.query);
  const gone = refusal("unavailable", /does not exist.*tables.*gone: restore a backup/);
  await expect(textsOf(database)).rejects.toMatchObject(gone);
  await expect(insertNote(database, "lost")).rejects.toMatchObject(gone);
  await expect(
    database.writeAll([{ sql: "insert into note (text) values ($1)", parameters: ["lost"] }]),
  ).rejects.toMatchObject(gone);
  await sql`alter schema away rename to public`.execute(database.query);
  await insertNote(database, "after");
  expect(await textsOf(database)).toEqual(["before", "after"]);
});
