import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { openStorage } from "../../storage/open-storage.js";
import { temporaryFolder } from "../../test/harness.js";
import { storeTables } from "../databases.js";

// Any text that media servers and customers may have sent.
const oddTexts = ["", "'\"\\{},", "\u{1F600}\u{1F3F3}\uFE0F", "NULL", "\\N", "a\0b", "\u200F\u2028", "\t\r\n", "{}"];

type Value = string | number | Buffer | null;

/** An SQLite store with this many rows in every table, which contain unusual values. Returns its file. */
export async function fullStore(rows: number): Promise<string> {
  const folder = join(await temporaryFolder(), "data");
  await mkdir(folder);
  const storage = await openStorage(`sqlite:${folder}/media.db`);
  try {
    for (const { name, columns, key, counted } of storeTables) {
      const { rows: known } = await sql<{ name: string; notnull: number }>`
        select name, "notnull" from pragma_table_info(${name})`.execute(storage.query);
      const mayBeNull = new Set(known.filter((column) => column.notnull === 0).map((column) => column.name));
      const makeValue = (column: string, at: number): Value => {
        if (column === counted) return at * 2 + 1;
        if (mayBeNull.has(column) && !key.includes(column) && at % 3 === 0) return null;
        if (columns[column] === "bytes") return Buffer.from([at % 256, 0, 92, 255]);
        if (columns[column] === "integer") return at % 2 ? at : -at;
        const odd = oddTexts[at % oddTexts.length] ?? "";
        // Columns that are unique, or referenced by others.
        return column === "project_id" ? `project-${at}` : `${column} ${at} ${odd}`;
      };
      const names = Object.keys(columns);
      const marks = names.map(() => "?").join(", ");
      const insert = `insert or ignore into "${name}" (${names.map((one) => `"${one}"`).join(", ")}) values (${marks})`;
      await storage.writeAll(
        Array.from({ length: rows }, (_, at) => ({
          sql: insert,
          parameters: names.map((column) => makeValue(column, at)),
        })),
      );
    }
  } finally {
    await storage.close();
  }
  return `${folder}/media.db`;
}
