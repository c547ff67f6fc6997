import { type Database, openDatabase } from "@media-ops/database";

/** The service's tables, as far as we look into them past the service. */
export interface Tables {
  log_head: { project_id: string; kind: number; seq: number };
  log_entry: { project_id: string; kind: number; at: string; seq: number; entry: string };
}

/** How the kinds of entries stand in them. */
export const kindNumbers = { sessions: 1, connections: 2, api: 3, "media-api": 4, webhooks: 5 } as const;

/** Opens a database that the service works on, to look into it. */
export function open(url: string): Promise<Database<Tables>> {
  return openDatabase<Tables>(url, { owner: "bench", migrations: { sqlite: {}, postgres: {} } });
}
