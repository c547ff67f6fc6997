import { createHash } from "node:crypto";

/** What the peer is told when it is started. */
export interface PeerSettings {
  readonly file: string;
  /** Where its listing is. */
  readonly path: string;
}

/** The peer's tables, as one would write them by hand. */
export const peerTables = `
  create table api_key (hash text primary key, project_id text not null);
  create table webhook_log (
    id integer primary key, project_id text not null, timestamp text not null, type text not null, url text not null,
    status integer not null, elapsed_time_ms integer not null
  );
  create index webhook_log_time on webhook_log (project_id, timestamp);`;

/** How a key stands in them. */
export const hashOf = (apiKey: string): string => createHash("sha256").update(apiKey).digest("hex");
