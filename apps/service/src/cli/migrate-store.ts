import { resolve } from "node:path";
import { type CopiedTable, copiedTables, describeCopy, isSame, migrateStore, showProgress } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { migrations } from "../storage/migrations.js";
import { type Tables, tables } from "../storage/tables.js";
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
      tables: storeTables,
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

/** What the service builds again by itself, from the log entries. */
export const derived = {
  tables: ["log_late", "log_segment", "log_part"],
  columns: ["sealed_at", "indexed", "build"],
} as const satisfies { tables: readonly (keyof Tables)[]; columns: readonly (keyof Tables["log_head"])[] };

/** All other tables of the service; each comes after the tables that it references. */
export const storeTables: readonly CopiedTable[] = copiedTables({
  ...Object.fromEntries(Object.entries(tables).filter(([name]) => !derived.tables.some((one) => one === name))),
  log_head: { text: "project_id", integer: "kind seq", key: "project_id kind" },
});
