import { resolve } from "node:path";
import { CopyError, DatabaseError, describeCopy, isSame, migrateStore, showProgress } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { migrations } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { makeRoomForPast } from "../stores.js";
import { type Command, CommandError, UsageError } from "./command.js";
import { storeTables } from "./store-tables.js";

export const migrateStoreCommand: Command = {
  name: "migrate-store",
  parameters: [],
  options: [
    { name: "from", value: "<sqlite:file>", summary: "what is copied, such as sqlite:./data/media.db" },
    {
      name: "to",
      value: "<postgres:address>",
      summary: "a new, empty database, such as postgres://media@db.example/media",
    },
  ],
  summary: "Copies everything from an SQLite file to PostgreSQL, and checks that it is the same.",
  help: `Stop the service first: what it would write meanwhile would be lost, and a file in use is refused.
It may be interrupted at any moment; the same command then goes on. The file stays as it is.
A password need not stand in the address, where others on this machine may see it: PGPASSWORD is read, too.
Ends with 1 unless every row is in PostgreSQL.`,
  async run({ config, now }, _, { values: { from, to } }) {
    if (from === undefined) throw new UsageError("--from is missing: --from sqlite:./data/media.db");
    if (to === undefined) throw new UsageError("--to is missing: --to postgres://media@db.example/media");
    const keyFile = masterKeyFile({ ...config(), databaseUrl: from });
    const migrated = await migrate(from, to, now);
    const { file, target, tables, wasThere } = migrated;
    const words = { program: "service", prefix: "MEDIA", keyFile: keyFile && resolve(keyFile) };
    return {
      text: describeCopy(migrated, words),
      json: {
        from: file,
        to: target,
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

async function migrate(from: string, to: string, now: () => number) {
  try {
    return await migrateStore<Tables>({
      owner: "service",
      migrations,
      from,
      to,
      tables: storeTables,
      // The days must be there first: many entries that came before theirs would have to be moved when it starts.
      prepare: (target) => makeRoomForPast(target, now()),
      onStep: showProgress(process.stderr, now),
    });
  } catch (error) {
    if (!(error instanceof CopyError) && !(error instanceof DatabaseError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}
