import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type CopiedTable,
  copiedTables,
  describeCopy,
  describeDistributed,
  describeRestored,
  distributeDatabase,
  isSame,
  migrateStore,
  restoreDatabase,
  showProgress,
} from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { checkSecrets } from "../secrets/open-vault.js";
import { endCopying } from "../storage/compact-days.js";
import { migrations } from "../storage/migrations.js";
import { type Tables, tables } from "../storage/tables.js";
import { makeRoomForPast } from "../stores.js";
import { type Command, explainMissing, UsageError } from "./command.js";

const backup: Command = {
  name: "backup",
  parameters: ["<file>"],
  summary: "Writes a consistent copy of the database to a new file, while the service runs.",
  help: "The copy does not contain the master key, without which its API keys and signing secrets cannot be read: back that up separately.",
  async run({ open, config }, [file = ""]) {
    const { storage } = await open();
    await storage.backup(file);
    const { size } = await stat(file);
    const keyFile = masterKeyFile(config());
    const keyPlace = keyFile ? `in ${keyFile}` : "in MEDIA_MASTER_KEY";
    return {
      text: `Backup written to ${file} (${size} bytes). It does not contain the master key, which is ${keyPlace}: back that up separately.`,
      json: { file: resolve(file), bytes: size },
    };
  },
};

const restore: Command = {
  name: "restore",
  parameters: ["<backup>"],
  summary: "Replaces the database with a backup, and keeps the old one under a dated name.",
  help: `Stop the service first: a database in use is refused.
Before anything is changed, the backup is checked: it must be intact, from this service, from no newer version, and readable with the master key. It is checked again in its new place. The backup itself is not changed.
The command may be interrupted at any time, and run again. Nothing else needs to be copied or deleted by hand.
Restore a PostgreSQL database with PostgreSQL's own tools.`,
  async run({ config, now }, [backup = ""]) {
    const settings = config();
    const restored = await restoreDatabase<Tables>(settings.databaseUrl, {
      owner: "service",
      migrations,
      backup,
      now: now(),
      checkSecrets: (query) => checkSecrets(settings, query),
    });
    return {
      text: `${describeRestored(restored)}\nTo start the service: media-ops serve`,
      json: {
        file: resolve(restored.file),
        backup: resolve(backup),
        kept: restored.kept.map((file) => resolve(file)),
      },
    };
  },
};

const migrate: Command = {
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
    const { tables: copied, wasThere } = migrated;
    const words = { program: "service", prefix: "MEDIA", keyFile: keyFile && resolve(keyFile) };
    return {
      text: describeCopy(migrated, words),
      json: {
        from: migrated.from,
        to: migrated.to,
        same: isSame(migrated),
        was_there: wasThere,
        tables: copied.map((table) => ({
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

const distribute: Command = {
  name: "distribute",
  parameters: [],
  summary: "Distributes the tables of a PostgreSQL database over the workers of Citus, in place.",
  help: `Needed once, if the database was filled before Citus was added to it. New databases are distributed from the start.
Stop each service and bot that uses the database first: the command refuses while one is connected.
It may be interrupted at any time, and run again to continue; until it succeeds, no service starts.
Each table or day moves in one transaction, which compares the number of rows.`,
  async run({ config, now }) {
    const distributed = await distributeDatabase(config().databaseUrl, {
      owner: "service",
      program: "media-ops",
      migrations,
      // Citus distributes no table with a trigger, which a stopped service may have left.
      prepare: endCopying,
      onStep: showProgress(process.stderr, now),
    }).catch(explainMissing);
    const { column, tables, wasThere } = distributed;
    return {
      text: describeDistributed(distributed, "service"),
      json: { column, was_there: wasThere, tables: tables.map(({ name, rows }) => ({ table: name, rows })) },
    };
  },
};

/** `backup`, `restore`, `migrate-store` and `distribute`. */
export const databaseCommands: readonly Command[] = [backup, restore, migrate, distribute];

// What the service builds again by itself, from the log entries.
const derived: readonly (keyof Tables)[] = ["log_late", "log_segment", "log_part"];

/** All other tables of the service; each comes after the tables that it references. */
export const storeTables: readonly CopiedTable[] = copiedTables({
  ...Object.fromEntries(Object.entries(tables).filter(([name]) => !derived.some((one) => one === name))),
  // Its other columns are derived, too.
  log_head: { columns: ["project_id text, kind integer, seq integer"], key: "project_id, kind" },
});
