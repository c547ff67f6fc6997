import { type Database, openDatabase } from "@media-ops/database";
import type { Migration } from "kysely";
import { describe, expect, it } from "vitest";
import { asMigration, insertNote, type Notes, newUrl, openNotes, refusal, shared, textsOf } from "./test/notes.js";

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
    await expect(openNotes(url, failing)).rejects.toMatchObject(refusal("migrate", /no room.* Nothing was changed/));
    expect(await columnsOf(await openNotes(url))).toEqual(["id", "text"]);
  });

  it("of a newer version are not changed by an older one", async () => {
    const url = await newUrl(place);
    await (await openNotes(url, { "002-newer": second })).close();
    await expect(openNotes(url)).rejects.toMatchObject(refusal("migrate", /002-newer.* newer version/));
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
