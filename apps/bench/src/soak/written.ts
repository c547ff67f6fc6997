import type { MediaSums } from "@media-ops/fake-media";
import { sql } from "kysely";
import { kindNumbers, open } from "../databases/open.js";
import type { ServiceProcess } from "../service/service-process.js";

/** How many entries each log has. */
export interface Written {
  readonly sessions: number;
  readonly connections: number;
  readonly api: number;
  readonly webhooks: number;
}

/** What was acknowledged and has to stand in the logs. */
export async function acknowledged(
  sums: Readonly<MediaSums>,
  service: ServiceProcess,
  delivered: number,
): Promise<Written> {
  return {
    sessions: sums.sessions,
    connections: sums.connections,
    api: await answersOf(service),
    webhooks: delivered,
  };
}

/** Counts the logs of all projects. */
export async function writtenIn(databaseUrl: string): Promise<Written> {
  const database = await open(databaseUrl);
  const count = async (kind: keyof Written): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from log_entry where kind = ${sql.lit(kindNumbers[kind])}`.execute(database.query);
    return rows[0]?.count ?? Number.NaN;
  };
  const written = {
    sessions: await count("sessions"),
    connections: await count("connections"),
    api: await count("api"),
    webhooks: await count("webhooks"),
  };
  await database.close();
  return written;
}

/** How many different sessions and connections of the media server stand in the logs. */
export async function differentIn(databaseUrl: string): Promise<Pick<Written, "sessions" | "connections">> {
  const database = await open(databaseUrl);
  const count = async (kind: "sessions" | "connections", path: string): Promise<number> => {
    // Those that were stored beforehand are of other channels.
    const { rows } = await sql<{ count: number }>`
      select count(distinct json_extract(entry, ${sql.lit(path)})) as count from log_entry
      where kind = ${sql.lit(kindNumbers[kind])} and json_extract(entry, '$.channel_id') not like 'room-%'`.execute(
      database.query,
    );
    return rows[0]?.count ?? Number.NaN;
  };
  const different = {
    sessions: await count("sessions", "$.session_id"),
    connections: await count("connections", "$.connection_id"),
  };
  await database.close();
  return different;
}

/** How many calls the service has answered, by its own count: each stands in the API log. */
async function answersOf({ insideUrl }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${insideUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^media_answers_total\{.*path="\/.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}
