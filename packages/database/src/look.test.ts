import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lookAtDatabase, openDatabase } from "@media-ops/database";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  asMigration,
  insertNote,
  type Notes,
  newUrl,
  noteMigrations,
  openNotes,
  refusal,
  shared,
  temporaryFolder,
} from "./test/notes.js";

const options = { owner: "test", migrations: noteMigrations };

async function look(url: string) {
  const glimpse = await lookAtDatabase<Notes>(url, options);
  onTestFinished(() => glimpse.close());
  return glimpse;
}

describe.each(shared)("a database in %s that is opened for inspection", (place) => {
  it("is readable, not migrated, and reports whether its tables match this version", async () => {
    const url = await newUrl(place);
    await insertNote(await openNotes(url), "one");
    const { query, tables } = await look(url);
    expect(tables).toEqual({ kind: "current" });
    expect(await query.selectFrom("note").select("text").execute()).toEqual([{ text: "one" }]);
    const second = asMigration("alter table note add column more text");
    const newer = {
      sqlite: { ...noteMigrations.sqlite, "002-more": second },
      postgres: { ...noteMigrations.postgres, "002-more": second },
    };
    const older = await lookAtDatabase(url, { owner: "test", migrations: newer });
    await older.close();
    expect(older.tables).toEqual({ kind: "older" });
    await (await openNotes(url, { "002-more": second })).close();
    expect((await look(url)).tables).toEqual({ kind: "newer", migration: "002-more" });
    const others = await lookAtDatabase(url, { ...options, owner: "other" });
    await others.close();
    expect(others.tables).toEqual({ kind: "none" });
  });

  it("has the same fingerprint for every process, and another one than any other database", async () => {
    const [url, other] = [await newUrl(place), await newUrl(place)];
    const [a, b] = [await openNotes(url), await openNotes(url)];
    const fingerprint = await a.fingerprint();
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(await b.fingerprint()).toBe(fingerprint);
    expect(await (await look(url)).fingerprint()).toBe(fingerprint);
    expect(await (await openNotes(other)).fingerprint()).not.toBe(fingerprint);
  });

  it("is refused if it must exist and does not, and nothing is created", async () => {
    const url = place === "PostgreSQL" ? await newUrl(place) : `sqlite:${await temporaryFolder()}/a/notes.db`;
    await expect(openDatabase(url, { ...options, mustExist: true })).rejects.toMatchObject({ code: "missing" });
    if (place === "PostgreSQL") expect((await look(url)).tables).toEqual({ kind: "none" });
    else await expect(look(url)).rejects.toMatchObject(refusal("missing", /There is no database at/));
  });
});

it("an inspection leaves no side files, and an empty file is not a database", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "notes.db");
  await writeFile(file, "");
  await expect(look(`sqlite:${file}`)).rejects.toMatchObject({ code: "missing" });
  expect(await readdir(folder)).toEqual(["notes.db"]);
  await (await openNotes(`sqlite:${file}`)).close();
  await chmod(file, 0o644);
  await (await lookAtDatabase(`sqlite:${file}`, options)).close();
  expect(await readdir(folder)).toEqual(["notes.db"]);
});
