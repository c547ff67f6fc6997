import { setTimeout } from "node:timers/promises";
import { type QueryExecutorProvider, sql } from "kysely";
import { DatabaseError } from "../errors.js";
import { MIGRATION_NAME } from "./pool.js";

// The connections of a program that has just ended disappear within this time.
const MAX_LOOKS = 6;
const LOOK_AGAIN_MS = 500;

/**
 * Refuses if another process of ours is connected to the database: it would go on writing what it wrote before.
 *
 * @param query Over connections for migrations.
 */
export async function needAlone(query: QueryExecutorProvider): Promise<void> {
  for (let looks = 1; ; looks++) {
    const { rows } = await sql<{ place: string; connections: number }>`
      select coalesce(host(client_addr), 'this machine') as place, count(*) as connections from pg_stat_activity
      where datname = current_database() and starts_with(application_name, 'media-ops')
        and application_name <> ${MIGRATION_NAME}
      group by client_addr order by place`.execute(query);
    if (rows.length === 0) return;
    if (looks === MAX_LOOKS) {
      const places = rows.map(({ place, connections }) => `${connections} from ${place}`).join(", ");
      throw new DatabaseError(
        "open",
        `Other programs of Media Ops are connected to the database (connections: ${places}). Stop each service and bot that uses it, and run this command again.`,
      );
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}
