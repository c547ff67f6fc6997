import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { insertNote, openNotes, textsOf } from "../test/notes.js";

it("what two write in opposite order at once is tried again where they are in each other's way", async () => {
  const url = await postgresUrl();
  const [one, other] = [await openNotes(url), await openNotes(url)];
  for (const text of ["0", "0"]) await insertNote(one, text);
  const add = (id: number) => ({ sql: "update note set text = text::bigint + 1 where id = $1", parameters: [id] });
  const pause = { sql: "select pg_sleep(0.02)", parameters: [] };
  const rounds = 5;
  for (let round = 0; round < rounds; round++) {
    await Promise.all([one.writeAll([add(1), pause, add(2)]), other.writeAll([add(2), pause, add(1)])]);
  }
  expect(await textsOf(one)).toEqual([String(2 * rounds), String(2 * rounds)]);
  // It has happened, and was not only possible.
  const deadlocks = async () => {
    const counted = sql<{
      deadlocks: number;
    }>`select deadlocks from pg_stat_database where datname = current_database()`;
    return (await counted.execute(one.query)).rows[0]?.deadlocks;
  };
  await expect.poll(deadlocks).toBeGreaterThan(0);
});

it("nobody sees a part of what is written in one go", async () => {
  const url = await postgresUrl();
  const [writer, reader] = [await openNotes(url), await openNotes(url)];
  const insert = { sql: "insert into note (text) values ('x')", parameters: [] };
  let isDone = false;
  const writing = (async () => {
    for (let round = 0; round < 30; round++) {
      await writer.writeAll([insert, { sql: "select pg_sleep(0.002)", parameters: [] }, insert, insert]);
    }
    isDone = true;
  })();
  while (!isDone) expect((await textsOf(reader)).length % 3).toBe(0);
  await writing;
  expect(await textsOf(reader)).toHaveLength(90);
});

it("many who write at once have each their own rows, in their order", async () => {
  const database = await openNotes(await postgresUrl());
  const write = (at: number) =>
    database.writeAll([
      { sql: "select $1::bigint as at", parameters: [at] },
      { sql: "insert into note (id, text) values ($1, $2) returning id, text", parameters: [at, `note ${at}`] },
      { sql: "update note set text = text || '!' where id = $1", parameters: [at] },
      { sql: "select text from note where id = $1", parameters: [at] },
    ]);
  const all = Array.from({ length: 300 }, (_, at) => at);
  expect(await Promise.all(all.map(write))).toEqual(
    all.map((at) => [[{ at }], [{ id: at, text: `note ${at}` }], [{ text: `note ${at}!` }]]),
  );
});
