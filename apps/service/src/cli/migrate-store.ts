import { resolve } from "node:path";
import { type CopiedTable, copiedTables, describeCopy, isSame, migrateStore, showProgress } from "@media-ops/database";
import { masterKeyFile } from "@media-ops/secrets";
import { migrations } from "../storage/migrations.js";
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

// Columns of one type, by their names.
const columns =
  <Type extends string>(type: Type) =>
  <Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;
const texts = columns("text");
const integers = columns("integer");

/** What the service builds again by itself, from the log entries. */
export const derived = {
  tables: ["log_late", "log_segment", "log_part"],
  columns: ["sealed_at", "indexed", "build"],
} as const satisfies { tables: readonly (keyof Tables)[]; columns: readonly (keyof Tables["log_head"])[] };

type OwnTables = Omit<Tables, (typeof derived.tables)[number] | "log_head"> & {
  log_head: Omit<Tables["log_head"], (typeof derived.columns)[number]>;
};

/** All other tables of the service; each comes after the tables that it references. */
export const storeTables: readonly CopiedTable[] = copiedTables<OwnTables>({
  setting: { columns: texts("name", "value"), key: ["name"] },
  counter: { columns: { name: "text", value: "integer" }, key: ["name"], hasFirstRows: true },
  project: {
    columns: { ...texts("project_id", "created_at"), ...integers("allow_anonymous", "version") },
    key: ["project_id"],
  },
  api_key: {
    columns: {
      ...texts("project_id", "key_id", "sealed", "created_at", "revoked_at"),
      hash: "bytes",
      version: "integer",
    },
    key: ["project_id", "key_id"],
  },
  intake_key: {
    columns: { ...texts("key_id", "label", "created_at", "revoked_at"), hash: "bytes" },
    key: ["key_id"],
  },
  signing_key: {
    columns: {
      ...texts("project_id", "key_id", "public_jwk", "sealed", "created_at", "retired_at", "revoked_at"),
      version: "integer",
    },
    key: ["project_id", "key_id"],
  },
  token_batch: {
    columns: { ...texts("project_id", "batch_id", "jwt_id", "tokens"), ...integers("second", "last_end") },
    key: ["project_id", "second", "batch_id"],
  },
  token_revocation: {
    columns: {
      ...texts("project_id", "subject", "jwt_id", "channel_id", "revoked_by"),
      ...integers("issued_before", "revoked_at", "until", "version"),
    },
    key: ["project_id", "subject"],
  },
  audit_entry: {
    columns: texts("project_id", "audit_id", "action", "requested_by", "entry"),
    key: ["project_id", "audit_id"],
  },
  webhook: {
    columns: {
      ...texts("project_id", "kind", "url", "secret", "old_secret", "set_at", "off_at", "off_reason", "failing_since"),
      old_secret_until: "integer",
    },
    key: ["project_id", "kind"],
  },
  log_head: { columns: { project_id: "text", ...integers("kind", "seq") }, key: ["project_id", "kind"] },
  log_entry: {
    columns: { ...texts("project_id", "at", "entry"), ...integers("kind", "seq") },
    key: ["project_id", "kind", "at", "seq"],
  },
  ended: {
    columns: { ...texts("project_id", "id", "event_id"), until: "integer" },
    key: ["project_id", "id", "event_id", "until"],
  },
  seat: {
    columns: {
      ...texts("project_id", "channel_id", "connection_id", "node_name", "session_id", "at", "role", "client_id"),
      jwt_id: "text",
      ...integers("connected", "until", "max_connections", "issued_at"),
    },
    key: ["project_id", "channel_id", "connection_id"],
  },
  refused_client: {
    columns: { ...texts("project_id", "name", "at", "entry"), ...integers("minute", "count") },
    key: ["project_id", "minute", "name"],
  },
  quarantine: {
    columns: { id: "integer", ...texts("at", "path", "key_id", "reason", "body") },
    key: ["id"],
    counted: "id",
  },
  delivery: {
    columns: {
      ...texts("project_id", "delivery_id", "event_id", "type", "lane", "body", "state", "last_fault", "attempts"),
      ...integers("tries", "created_at", "next_at", "ended_at", "last_status", "resend_at"),
    },
    key: ["project_id", "delivery_id"],
  },
  delivery_queue: {
    columns: { ...texts("project_id", "owner"), ...integers("due_at", "owned_until") },
    key: ["project_id"],
  },
});
