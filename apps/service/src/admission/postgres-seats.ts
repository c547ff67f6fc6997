import { type Statement, withoutNul } from "@media-ops/database";
import type { Admission } from "@media-ops/tokens";
import { type Kysely, sql } from "kysely";
import type { Clocks } from "../config/surroundings.js";
import { AHEAD_MS, DAY_MS, DayPartitions, startOfDay } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import {
  type ChannelSince,
  CLOCKS_APART_MS,
  type CountedSeats,
  ENDED_MS,
  endedKey,
  NEVER,
  NEWER_BY_MS,
  type NodeGone,
  type SeatAttempt,
  type SeatChange,
  type SeatQuestion,
  Seats,
  SILENCE_MS,
} from "./seats.js";

/** The partitions of what has ended, by the day until which it is remembered. */
export const endedDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, { name: "ended", column: "until", boundOf: String, dayOf: Number });

const FORGOTTEN_AT_ONCE = 1000;

/** The seats in PostgreSQL. Every change locks the project's row, so that one change follows another. */
export class PostgresSeats extends Seats {
  readonly #days: DayPartitions;

  private constructor(storage: Storage, clocks: Clocks) {
    super(storage, clocks);
    this.#days = endedDays(storage.query);
  }

  static async open(storage: Storage, clocks: Clocks): Promise<PostgresSeats> {
    const seats = new PostgresSeats(storage, clocks);
    await seats.#prepare();
    return seats;
  }

  override decide(attempts: readonly SeatAttempt[]): Promise<Admission[]> {
    return super.decide(attempts.map(asStored));
  }

  async sweep(time: number | undefined, signal: AbortSignal): Promise<void> {
    await this.#prepare();
    if (time === undefined) return;
    const day = startOfDay(time);
    await this.#days.dropBefore(day);
    await this.#days.deleteEarly(day, signal);
    while (!signal.aborted && this.silence.meansGone()) {
      const { numAffectedRows = 0n } = await sql`
        delete from seat where (project_id, channel_id, connection_id) in (
          select project_id, channel_id, connection_id from seat where until <= ${time}
          limit ${sql.lit(FORGOTTEN_AT_ONCE)} for update skip locked)`.execute(this.storage.query);
      if (numAffectedRows < FORGOTTEN_AT_ONCE) return;
    }
  }

  async #prepare(): Promise<void> {
    // Ends of today are remembered until this day.
    const day = startOfDay(this.now()) + ENDED_MS;
    await this.#days.make(day - DAY_MS, day + AHEAD_MS);
  }

  protected async lock(transaction: Kysely<Tables>, channels: readonly ChannelSince[]): Promise<void> {
    const projectIds = [...new Set(channels.map(([projectId]) => projectId))];
    await sql`
      select 1 from project where project_id = any(${projectIds}::text[]) order by project_id for no key update
    `.execute(transaction);
  }

  protected async count(
    transaction: Kysely<Tables>,
    { channels, askers, granted, connected }: SeatQuestion,
  ): Promise<readonly CountedSeats[]> {
    const [projectIds, channelIds, since] = [0, 1, 2].map((at) => channels.map((channel) => channel[at]));
    const { rows } = await sql<CountedSeats>`
      select own, granted, recent, holders
      from unnest(${projectIds}::text[], ${channelIds}::text[], ${since}::text[])
        with ordinality as asked (project_id, channel_id, since, place)
      cross join lateral (
        select
          count(*) filter (where connected = 1) as own,
          count(*) filter (where connected = 0) as granted,
          coalesce(array_agg(at) filter (where connected = 1 and at > since), '{}') as recent,
          coalesce(array_agg(connection_id) filter (
            where connected = 0 and connection_id = any(${askers}::text[])
          ), '{}') as holders
        from seat
        where seat.project_id = asked.project_id and seat.channel_id = asked.channel_id
          and until > case connected when 1 then ${connected.after}::bigint else ${granted.after}::bigint end
          and until <= case connected when 1 then ${connected.until}::bigint else ${granted.until}::bigint end
      ) as counted
      order by place
    `.execute(transaction);
    return rows;
  }

  protected async grant(transaction: Kysely<Tables>, admitted: readonly SeatAttempt[], until: number): Promise<void> {
    // If one connection asks twice in a batch, its last attempt counts.
    const seats = [...new Map(admitted.map((one) => [seatName(one), one])).values()];
    const column = (name: "projectId" | "channelId" | "connectionId" | "nodeName" | "at") =>
      seats.map((seat) => seat[name]);
    await sql`
      insert into seat (project_id, channel_id, connection_id, node_name, connected, at, until)
      select project_id, channel_id, connection_id, node_name, 0, at, ${until}::bigint
      from unnest(
        ${column("projectId")}::text[], ${column("channelId")}::text[], ${column("connectionId")}::text[],
        ${column("nodeName")}::text[], ${column("at")}::text[]
      ) as granted (project_id, channel_id, connection_id, node_name, at)
      on conflict (project_id, channel_id, connection_id)
      do update set node_name = excluded.node_name, at = excluded.at, until = excluded.until
      where seat.connected = 0
    `.execute(transaction);
  }
}

/** The attempt with names as PostgreSQL stores them, so that they match the names that are read. */
const asStored = (attempt: SeatAttempt): SeatAttempt => ({
  ...attempt,
  channelId: withoutNul(attempt.channelId),
  connectionId: withoutNul(attempt.connectionId),
});

/** Two seats with the same name are one row. */
const seatName = ({ channelId, connectionId }: { channelId: string; connectionId: string }): string =>
  JSON.stringify([withoutNul(channelId), withoutNul(connectionId)]);

type Connected = Extract<SeatChange, { kind: "connected" }>;

const LOCK = "select 1 from project where project_id = $1 for no key update";
// An end before the connection was made does not matter: `since` skips the partitions of those days.
const CONNECT = `
  insert into seat (project_id, channel_id, connection_id, node_name, session_id, connected, at, until)
  select $1, channel_id, connection_id, node_name, session_id, 1, at, $7::bigint
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $8::bigint[])
    as made (channel_id, connection_id, node_name, session_id, at, since)
  where not exists (
    select 1 from ended where ended.project_id = $1 and ended.until >= made.since
      and ended.id in ('${endedKey("connection", "")}' || made.connection_id, '${endedKey("session", "")}' || made.session_id)
  )
  on conflict (project_id, channel_id, connection_id) do update set
    node_name = excluded.node_name, session_id = excluded.session_id, connected = 1, at = excluded.at,
    until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}
    or seat.until > excluded.until + ${CLOCKS_APART_MS}`;

/** The part of a statement that frees the seats of ended connections, from rows `channel_id, name` of its table. */
export const freedByConnections = (table: string): string => `
  freed as (
    delete from seat where project_id = $1
    and (channel_id, connection_id) in (select channel_id, name from ${table})
  )`;

/**
 * The same for ended sessions, by the rows `channel_id, name, since, gone_at`: frees a session's own seats, and those of
 * earlier sessions whose end was lost. Connections made later, and clients let in that have not connected yet, belong to
 * another session.
 */
export const freedBySessions = (table: string): string => `
  freed as (
    delete from seat using ${table} as gone
    where seat.project_id = $1 and seat.channel_id = gone.channel_id
    and (seat.session_id = gone.name
      or (connected = 1 and (seat.at < gone.since or (seat.session_id is null and seat.at <= gone.gone_at))))
  )`;

const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedKey("connection", "")}' || connection_id, $2, $3 from seat
  where project_id = $1 and node_name = $4 and at <= $5 on conflict do nothing`;
const FREE_NODE = "delete from seat where project_id = $1 and node_name = $2 and at <= $3";

/** The statement that locks the seats of a project until the transaction ends. */
export const holdStatement = (projectId: string): Statement => ({ sql: LOCK, parameters: [projectId] });

/** The projects that have seats on a node. */
export async function projectsOn({ query }: Storage, nodeName: string): Promise<string[]> {
  const seats = query.selectFrom("seat").select("project_id").distinct().where("node_name", "=", nodeName);
  return (await seats.orderBy("project_id").execute()).map(({ project_id }) => project_id);
}

/** The statements that free a project's seats on a node that is gone. */
export function nodeStatements(projectId: string, change: NodeGone, now: number): Statement[] {
  const { eventId, nodeName, at } = change;
  return [
    { sql: NOTE_NODE, parameters: [projectId, eventId, now + ENDED_MS, nodeName, at] },
    { sql: FREE_NODE, parameters: [projectId, nodeName, at] },
  ];
}

/** The statement that gives seats to connections that have been made, unless they are known to have ended. */
export function connectStatement(projectId: string, changes: readonly Connected[], now: number): Statement {
  // One report per seat is enough: others of the same batch are not worth a write.
  const seats = new Map<string, Connected>();
  for (const change of changes) {
    const name = seatName(change);
    if (!seats.has(name)) seats.set(name, change);
  }
  const made = [...seats.values()];
  return {
    sql: CONNECT,
    parameters: [
      projectId,
      column(made, "channelId"),
      column(made, "connectionId"),
      column(made, "nodeName"),
      column(made, "sessionId"),
      column(made, "at"),
      now + SILENCE_MS,
      made.map(({ at }) => endedSince(at, now)),
    ],
  };
}

/** The earliest `until` of a remembered end that matters to a connection made then. Clocks may be a day apart. */
function endedSince(madeAt: string, now: number): number {
  // Date cannot read some times, such as a leap second: then any end matters.
  const time = madeAt === NEVER ? now : Date.parse(`${madeAt}Z`);
  return (Number.isNaN(time) ? 0 : Math.min(time, now)) + ENDED_MS - DAY_MS;
}

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name]);
}
