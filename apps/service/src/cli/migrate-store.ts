import { resolve } from "node:path";
import { type CopiedTable, describeCopy, isSame, migrateStore, showProgress } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { sql } from "kysely";
import { migrations } from "../storage/migrations.js";
import { openStorage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { makeRoomForPast } from "../stores.js";
import { type Command, UsageError } from "./command.js";

/** `migrate-store`. */
export const migrateStoreCommand: Command = {
  name: "migrate-store",
  parameters: [],
  options: [
    {
      name: "from",
      value: "<database>",
      summary: "the database to copy, such as sqlite:./data/media.db or postgres://media@db.example/media",
    },
    {
      name: "to",
      value: "<postgres:address>",
      summary: "a new, empty database, such as postgres://media@new.example/media",
    },
  ],
  summary: "Copies everything to a database in PostgreSQL, and verifies the copy.",
  help: `Stop the service first: a database in use is refused, as later writes would be lost.
The target may be a later PostgreSQL, or one with Citus.
The command may be interrupted at any time, and run again to continue. The source is not changed.
To keep the password out of the address, which others on this machine may see, set PGPASSWORD.
Exits with 1 unless every row is in the target.`,
  async run({ config, now }, _, { values: { from, to } }) {
    if (from === undefined) throw new UsageError("--from is missing: --from sqlite:./data/media.db");
    if (to === undefined) throw new UsageError("--to is missing: --to postgres://media@db.example/media");
    const keyFile = masterKeyFile({ ...config(), databaseUrl: from });
    const migrated = await migrateStore<Tables>({
      owner: "service",
      migrations,
      from,
      to,
      tables: await storeTables(),
      // Created first: otherwise the service would have to move these entries to their day's partition when it starts.
      prepare: (target) => makeRoomForPast(target, now()),
      onStep: showProgress(process.stderr, now),
    });
    const { tables, wasThere } = migrated;
    const words = { program: "service", prefix: "MEDIA", keyFile: keyFile && resolve(keyFile) };
    return {
      text: describeCopy(migrated, words),
      json: {
        from: migrated.from,
        to: migrated.to,
        same: isSame(migrated),
        was_there: wasThere,
        tables: tables.map((table) => ({
          table: table.name,
          rows: table.rows,
          copied_rows: table.copiedRows,
          same: table.isSame,
        })),
      },
      exitCode: isSame(migrated) ? 0 : 1,
    };
  },
};

// What the service builds again by itself, from the log entries.
const derived = ["log_late", "log_segment", "log_part", "sealed_at", "indexed", "build"];

const typeOf: Readonly<Record<string, "text" | "integer" | "bytes">> = {
  text: "text",
  integer: "integer",
  blob: "bytes",
};

/** All other tables of the service, as a new SQLite database has them; each comes after the tables that it references. */
export async function storeTables(): Promise<CopiedTable[]> {
  const { query, close } = await openStorage("sqlite::memory:");
  try {
    const { rows } = await sql<{ name: string; counts: 0 | 1; columns: string }>`
      select tables.name, tables.sql like '%autoincrement%' as counts,
        json_group_array(json_array(columns.name, lower(columns.type), columns.pk)) as columns
      from sqlite_schema as tables join pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite_%' and tables.name not like '%_migrations%'
        and tables.name not in (${sql.join(derived)}) and columns.name not in (${sql.join(derived)})
      group by tables.name order by tables.rowid`.execute(query);
    const tables: CopiedTable[] = [];
    for (const { name, counts, columns: text } of rows) {
      const columns: [name: string, type: string, pk: number][] = JSON.parse(text);
      const inKey = columns.filter(([, , pk]) => pk > 0).sort(([, , a], [, , b]) => a - b);
      const [first = "", ...others] = inKey.map(([column]) => column);
      const { rows: firstRows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(query);
      tables.push({
        name,
        columns: Object.fromEntries(columns.map(([column, type]) => [column, typeOf[type] ?? "text"])),
        // PostgreSQL partitions this table by a time, which is in its key, too.
        key: [first, ...others, ...(name === "ended" ? ["until"] : [])],
        ...(counts === 1 && { counted: first }),
        hasFirstRows: firstRows.length > 0,
      });
    }
    return tables;
  } finally {
    await close();
  }
}
