import { type CopiedTable, copiedTables } from "@media-ops/database";

/** Every table of the bot. What belongs to a workspace leads with `team_id`, so that it can lie with the workspace. */
export interface Tables {
  connection: ConnectionTable;
  connection_default: ConnectionDefaultTable;
  installation: InstallationTable;
  oauth_state: OAuthStateTable;
  claim: ClaimTable;
  minting: MintingTable;
  /** The service has a table "setting" of its own, and both may lie in one database. */
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

/** Which project is meant where nobody names one. */
interface ConnectionDefaultTable {
  team_id: string;
  /** Empty for the whole workspace. */
  channel_id: string;
  project_id: string;
  set_by: string;
  set_at: number;
}

/** What Slack gave when the app was installed, its tokens among it. */
interface InstallationTable {
  /** The workspace, or the organisation that has installed the app for all of its workspaces. */
  team_id: string;
  /** All of it, encrypted under the master key. */
  sealed: string;
  installed_at: number;
}

/** An installation that has begun and not come back yet. */
interface OAuthStateTable {
  /** HMAC-SHA-256 of the state that went to the browser. */
  hash: string;
  /** What it is to be installed with, encrypted under the master key. */
  sealed: string;
  until: number;
}

/** What has been begun, and must not be begun again until then. */
interface ClaimTable {
  /** SHA-256 of the key. */
  hash: string;
  until: number;
}

/** An access token that was made, without the token. */
interface MintingTable {
  team_id: string;
  /** When it was made. */
  at: number;
  /** Tells apart what was made at one moment: a token's own id may be chosen by whoever asks for it. */
  minting_id: string;
  jti: string;
  user_id: string;
  /** The conversation in Slack where it was asked for. */
  place_id: string;
  project_id: string;
  /** The media channel; null where the token is for every channel. */
  channel_id: string | null;
  role: string | null;
  starts_at: number | null;
  ends_at: number | null;
  max_connections: number | null;
  reason: string | null;
}

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
