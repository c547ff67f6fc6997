import { type Database, openDatabase } from "@media-ops/database";
import { type Migration, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { asMigration, insertNote, type Notes, newUrl, openNotes, shared, textsOf } from "./test/notes.js";

const second = asMigration("insert into note (text) values ('second')");

const columnsOf = async ({ query }: Database<Notes>): Promise<string[] | undefined> =>
  (await query.introspection.getTables()).find(({ name }) => name === "note")?.columns.map(({ name }) => name);

describe.each(shared)("migrations in %s", (place) => {
  it("run in order, each once", async () => {
    const url = await newUrl(place);
    await (await openNotes(url)).close();
    await (await openNotes(url, { "002-second": second })).close();
    expect(await textsOf(await openNotes(url, { "002-second": second }))).toEqual(["second"]);
  });

  it("change nothing if one of them fails", async () => {
    const url = await newUrl(place);
    const failing = {
      "002-text": asMigration("alter table note add column more text"),
      "003-fails": { up: () => Promise.reject(new Error("no room")) } satisfies Migration,
    };
    await expect(openNotes(url, failing)).rejects.toMatchObject({
      code: "migrate",
      message: expect.stringMatching(/no room.* Nothing was changed/),
    });
    expect(await columnsOf(await openNotes(url))).toEqual(["id", "text"]);
  });

  it("of a newer version are not changed by an older one", async () => {
    const url = await newUrl(place);
    await (await openNotes(url, { "002-newer": second })).close();
    await expect(openNotes(url)).rejects.toMatchObject({
      code: "migrate",
      message: expect.stringMatching(/002-newer.* newer version/),
    });
  });

  it("of two owners are independent", async () => {
    const url = await newUrl(place);
    const database = await openNotes(url);
    const others = { "001-other": asMigration("create table other (id integer)") };
    const other = await openDatabase(url, { owner: "other", migrations: { sqlite: others, postgres: others } });
    await other.close();
    await insertNote(database, "one");
    expect(await textsOf(database)).toEqual(["one"]);
  });
});

it("a migration in PostgreSQL has no timeout, while a query has one", async () => {
  const timeout = sql<{ statement_timeout: string }>`show statement_timeout`;
  const url = await newUrl("PostgreSQL");
  const during: unknown[] = [];
  const look: Migration = {
    async up(db) {
      during.push(...(await timeout.execute(db)).rows);
    },
  };
  const { query } = await openNotes(url, { "002-look": look });
  expect(during).toEqual([{ statement_timeout: "0" }]);
  expect((await timeout.execute(query)).rows).not.toEqual(during);
});
