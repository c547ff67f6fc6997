import { type CopiedTable, copiedTables } from "@media-ops/database";

/** The bot's tables. Keys of a workspace's data begin with `team_id`, so that it can be sharded by workspace. */
export interface Tables {
  connection: ConnectionTable;
  connection_default: ConnectionDefaultTable;
  installation: InstallationTable;
  oauth_state: OAuthStateTable;
  claim: ClaimTable;
  minting: MintingTable;
  /** Not "setting": the service has a table of that name, and both may share a database. */
  bot_setting: { name: string; value: string };
}

/** A project that a workspace is connected to. */
interface ConnectionTable {
  team_id: string;
  project_id: string;
  base_url: string;
  /** The API key, encrypted under the master key. */
  sealed: string;
  connected_by: string;
  /** Times are in ms since 1970. */
  connected_at: number;
}

/** The project that is used if a command names none. */
interface ConnectionDefaultTable {
  team_id: string;
  /** Empty for the whole workspace. */
  channel_id: string;
  project_id: string;
  set_by: string;
  set_at: number;
}

/** What Slack returned when the app was installed, with its tokens. */
interface InstallationTable {
  /** The workspace, or the organisation that has installed the app for all of its workspaces. */
  team_id: string;
  /** All of it, encrypted under the master key. */
  sealed: string;
  installed_at: number;
}

/** An installation that has begun and is not finished. */
interface OAuthStateTable {
  /** HMAC-SHA-256 of the state that went to the browser. */
  hash: string;
  /** The options of the installation, encrypted under the master key. */
  sealed: string;
  until: number;
}

/** A key that must not be handled again until then. */
interface ClaimTable {
  /** SHA-256 of the key. */
  hash: string;
  until: number;
}

/** The record of an access token, without the token. */
interface MintingTable {
  team_id: string;
  /** When it was made. */
  at: number;
  /** Distinguishes tokens made at the same moment: the person may choose a token's own id. */
  minting_id: string;
  jti: string;
  user_id: string;
  /** The conversation in Slack in which it was requested. */
  place_id: string;
  project_id: string;
  /** The media channel; null if the token is for every channel. */
  channel_id: string | null;
  role: string | null;
  starts_at: number | null;
  ends_at: number | null;
  max_connections: number | null;
  reason: string | null;
}

/** The columns of all tables, for copying them; no table references another. */
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
