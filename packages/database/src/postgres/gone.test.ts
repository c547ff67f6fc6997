import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { insertNote, openNotes, textsOf } from "../test/notes.js";

it("an emptied PostgreSQL cannot be used, says so, and is used again when its tables are back", async () => {
  const database = await openNotes(await postgresUrl());
  await insertNote(database, "before");
  await sql`alter schema public rename to away`.execute(database.query);
  const gone = {
    code: "unavailable",
    message: expect.stringMatching(/does not exist.*tables.*gone: restore a backup/),
  };
  await expect(textsOf(database)).rejects.toMatchObject(gone);
  await expect(insertNote(database, "lost")).rejects.toMatchObject(gone);
  await expect(
    database.writeAll([{ sql: "insert into note (text) values ($1)", parameters: ["lost"] }]),
  ).rejects.toMatchObject(gone);
  await sql`alter schema away rename to public`.execute(database.query);
  await insertNote(database, "after");
  expect(await textsOf(database)).toEqual(["before", "after"]);
});
