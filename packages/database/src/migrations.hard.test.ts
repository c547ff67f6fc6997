import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { newUrl, shared } from "./test/notes.js";

/** A program that several processes start at once. */
const program = (url: string): string => `
  import { openDatabase } from ${JSON.stringify(import.meta.resolve("@media-ops/database"))};
  import { sql } from ${JSON.stringify(import.meta.resolve("kysely"))};
  const make = { up: (db) => db.schema.createTable("note").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("text", "text").execute() };
  const fill = { up: async (db) => { await sql\`insert into note (id, text) values (1, 'made by a migration')\`.execute(db); } };
  const all = { "001-note": make, "002-first": fill };
  const database = await openDatabase(${JSON.stringify(url)}, { owner: "test", migrations: { sqlite: all, postgres: all } });
  console.log((await database.query.selectFrom("note").select("text").execute()).map(({ text }) => text).join());
  await database.close();
`;

it.each(shared)("migrations in %s run once, even if six processes open a new database concurrently", async (place) => {
  const url = await newUrl(place);
  const start = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program(url)]);
  const ran = await Promise.all(Array.from({ length: 6 }, start));
  expect(ran).toEqual(ran.map(() => ({ stdout: "made by a migration\n", stderr: "" })));
});
