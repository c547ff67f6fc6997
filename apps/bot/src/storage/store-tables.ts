import { type CopiedTable, copiedTables } from "@media-ops/database";
import type { Tables } from "./tables.js";

/** All tables of the bot; none refers to another. */
export const storeTables: readonly CopiedTable[] = copiedTables<Tables>({
  bot_setting: { columns: { name: "text", value: "text" }, key: ["name"] },
  connection: {
    columns: {
      team_id: "text",
      project_id: "text",
      base_url: "text",
      sealed: "text",
      connected_by: "text",
      connected_at: "integer",
    },
    key: ["team_id", "project_id"],
  },
  connection_default: {
    columns: { team_id: "text", channel_id: "text", project_id: "text", set_by: "text", set_at: "integer" },
    key: ["team_id", "channel_id"],
  },
  installation: { columns: { team_id: "text", sealed: "text", installed_at: "integer" }, key: ["team_id"] },
  oauth_state: { columns: { hash: "text", sealed: "text", until: "integer" }, key: ["hash"] },
  claim: { columns: { hash: "text", until: "integer" }, key: ["hash"] },
  minting: {
    columns: {
      team_id: "text",
      at: "integer",
      minting_id: "text",
      jti: "text",
      user_id: "text",
      place_id: "text",
      project_id: "text",
      channel_id: "text",
      role: "text",
      starts_at: "integer",
      ends_at: "integer",
      max_connections: "integer",
      reason: "text",
    },
    key: ["team_id", "at", "minting_id"],
  },
});
