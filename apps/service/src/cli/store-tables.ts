import { type CopiedTable, copiedTables } from "@media-ops/database";
import type { Tables } from "../storage/tables.js";

/** All tables of the service; a table stands behind those that it refers to. */
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
