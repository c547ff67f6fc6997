import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { openStorage } from "../storage/open-storage.js";

/** The whole content of a database as text; a file is read as bytes, including overwritten data. */
export async function keptIn(url: string): Promise<string> {
  if (url.startsWith("sqlite:")) return readFile(url.slice("sqlite:".length), "latin1");
  const storage = await openStorage(url);
  try {
    const { query } = storage;
    const tables = await query.introspection.getTables();
    const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(query)));
    return JSON.stringify(rows.map((all) => all.rows));
  } finally {
    await storage.close();
  }
}
