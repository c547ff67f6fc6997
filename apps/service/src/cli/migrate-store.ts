import { resolve } from "node:path";
import {
  type CopiedTable,
  CopyError,
  copiedTables,
  DatabaseError,
  describeCopy,
  isSame,
  migrateStore,
  showProgress,
} from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { migrations } from "../storage/migrations.js";
import type { Tables } from "../storage/tables.js";
import { makeRoomForPast } from "../stores.js";
import { type Command, CommandError, UsageError } from "./command.js";

/** `migrate-store`. */
export const migrateStoreCommand: Command = {
  name: "migrate-store",
  parameters: [],
  options: [
    { name: "from", value: "<sqlite:file>", summary: "the database to copy, such as sqlite:./data/media.db" },
    {
      name: "to",
      value: "<postgres:address>",
      summary: "a new, empty database, such as postgres://media@db.example/media",
    },
  ],
  summary: "Copies everything from an SQLite file to PostgreSQL, and verifies the copy.",
  help: `Stop the service first: a file in use is refused, as later writes would be lost.
The command may be interrupted at any time, and run again to continue. The file is not changed.
To keep the password out of the address, which others on this machine may see, set PGPASSWORD.
Exits with 1 unless every row is in PostgreSQL.`,
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
      // Created first: entries without their day's partition would have to be moved when the service starts.
      prepare: (target) => makeRoomForPast(target, now()),
      onStep: showProgress(process.stderr, now),
    });
  } catch (error) {
    if (!(error instanceof CopyError) && !(error instanceof DatabaseError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}

/** All tables of the service; each comes after the tables that it references. */
export const storeTables: readonly CopiedTable[] = copiedTables<Tables>({
  setting: { columns: { name: "text", value: "text" }, key: ["name"] },
  counter: { columns: { name: "text", value: "integer" }, key: ["name"], hasFirstRows: true },
  project: {
    columns: { project_id: "text", created_at: "text", allow_anonymous: "integer", version: "integer" },
    key: ["project_id"],
  },
  api_key: {
    columns: {
      project_id: "text",
      key_id: "text",
      hash: "bytes",
      sealed: "text",
      created_at: "text",
      revoked_at: "text",
      version: "integer",
    },
    key: ["project_id", "key_id"],
  },
  intake_key: {
    columns: { key_id: "text", label: "text", hash: "bytes", created_at: "text", revoked_at: "text" },
    key: ["key_id"],
  },
  webhook: {
    columns: {
      project_id: "text",
      kind: "text",
      url: "text",
      secret: "text",
      old_secret: "text",
      old_secret_until: "integer",
      set_at: "text",
      off_at: "text",
      off_reason: "text",
    },
    key: ["project_id", "kind"],
  },
  log_head: { columns: { project_id: "text", kind: "integer", seq: "integer" }, key: ["project_id", "kind"] },
  log_entry: {
    columns: { project_id: "text", kind: "integer", at: "text", seq: "integer", entry: "text" },
    key: ["project_id", "kind", "at", "seq"],
  },
  ended: {
    columns: { project_id: "text", id: "text", event_id: "text", until: "integer" },
    key: ["project_id", "id", "event_id"],
  },
  seat: {
    columns: {
      project_id: "text",
      channel_id: "text",
      connection_id: "text",
      node_name: "text",
      session_id: "text",
      connected: "integer",
      at: "text",
      until: "integer",
    },
    key: ["project_id", "channel_id", "connection_id"],
  },
  quarantine: {
    columns: { id: "integer", at: "text", path: "text", key_id: "text", reason: "text", body: "text" },
    key: ["id"],
    counted: "id",
  },
  delivery: {
    columns: {
      project_id: "text",
      delivery_id: "text",
      event_id: "text",
      type: "text",
      lane: "text",
      body: "text",
      state: "text",
      tries: "integer",
      created_at: "integer",
      next_at: "integer",
      ended_at: "integer",
      last_status: "integer",
      last_fault: "text",
    },
    key: ["project_id", "delivery_id"],
  },
  delivery_queue: {
    columns: { project_id: "text", due_at: "integer", owner: "text", owned_until: "integer" },
    key: ["project_id"],
  },
});
