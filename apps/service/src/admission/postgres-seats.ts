import { type Statement, withoutNul } from "@media-ops/database";
import type { Admission } from "@media-ops/tokens";
import { CompiledQuery, type Kysely, sql } from "kysely";
import { AHEAD_MS, DAY_MS, DayPartitions, startOfDay } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import { projectWriterOf } from "../storage/postgres-writer.js";
import type { Tables } from "../storage/tables.js";
import {
  type ChannelSince,
  type CountedSeats,
  ENDED_MS,
  GRANT_AGAIN,
  grantedSeat,
  type SeatAttempt,
  Seats,
  type SeatsToCount,
} from "./seats.js";

/** The partitions of the table `ended`, by the day until which a row is kept. */
export const endedDays = (query: Storage["query"]): DayPartitions =>
  new DayPartitions(query, { name: "ended", column: "until", boundOf: String, dayOf: Number });

const FORGOTTEN_AT_ONCE = 1000;

/** The seats in PostgreSQL. Every change locks the project's row, so changes to one project are serialized. */
export class PostgresSeats extends Seats {
  readonly #days = endedDays(this.storage.query);

  readonly #writer = projectWriterOf(this.storage);

  /** @param attempts Of one project. */
  override decide(attempts: readonly SeatAttempt[]): Promise<Admission[]> {
    return super.decide(attempts.map(asStored));
  }

  async sweep(time: number, signal: AbortSignal): Promise<void> {
    await this.prepare();
    const day = startOfDay(time);
    await this.#days.dropBefore(day);
    await this.#days.deleteEarly(day, signal);
    if (signal.aborted || !this.silence.meansGone()) return;
    // Project by project, since Citus locks rows of one shard only.
    const lapsed = this.storage.query.selectFrom("seat").select("project_id").distinct().where("until", "<=", time);
    for (const { project_id } of await lapsed.execute()) await this.#forget(project_id, time, signal);
  }

  async #forget(projectId: string, time: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.silence.meansGone()) {
      const { numAffectedRows = 0n } = await sql`
        delete from seat where project_id = ${projectId} and (channel_id, connection_id) in (
          select channel_id, connection_id from seat where project_id = ${projectId} and until <= ${time}
          limit ${sql.lit(FORGOTTEN_AT_ONCE)} for update skip locked)`.execute(this.storage.query);
      if (numAffectedRows < FORGOTTEN_AT_ONCE) return;
    }
  }

  override async prepare(): Promise<void> {
    // Connections and sessions that end today are remembered until this day.
    const day = startOfDay(this.now()) + ENDED_MS;
    await this.#days.make(day - DAY_MS, day + AHEAD_MS);
  }

  protected async lock(transaction: Kysely<Tables>, [channel]: readonly ChannelSince[]): Promise<void> {
    if (channel) await run(transaction, this.#writer.hold(channel[0]));
  }

  protected async count(
    transaction: Kysely<Tables>,
    { channels, askers, granted, connected }: SeatsToCount,
  ): Promise<readonly CountedSeats[]> {
    const [projectId] = channels[0] ?? [];
    const [channelIds, since] = [1, 2].map((at) => channels.map((channel) => channel[at]));
    const { rows } = await sql<CountedSeats>`
      select own, granted, recent, holders
      from unnest(${channelIds}::text[], ${since}::text[]) with ordinality as asked (channel_id, since, place)
      cross join lateral (
        select
          count(*) filter (where connected = 1) as own,
          count(*) filter (where connected = 0) as granted,
          coalesce(array_agg(at) filter (where connected = 1 and at > since), '{}') as recent,
          coalesce(array_agg(connection_id) filter (
            where connected = 0 and connection_id = any(${askers}::text[])
          ), '{}') as holders
        from seat
        where seat.project_id = ${projectId} and seat.channel_id = asked.channel_id
          and until > case connected when 1 then ${connected.after}::bigint else ${granted.after}::bigint end
          and until <= case connected when 1 then ${connected.until}::bigint else ${granted.until}::bigint end
      ) as counted
      order by place
    `.execute(transaction);
    return rows;
  }

  protected async grant(transaction: Kysely<Tables>, admitted: readonly SeatAttempt[], until: number): Promise<void> {
    // If one connection requests a seat twice in a batch, its last attempt counts.
    const seats = [...new Map(admitted.map((one) => [seatName(one), one])).values()];
    const [first] = seats;
    if (!first) return;
    const rows = seats.map((attempt) => ({ ...grantedSeat(attempt), connected: 0, until }));
    const granted = { table: "seat", rows, onConflict: GRANT_AGAIN } as const;
    for (const statement of this.#writer.insert(first.projectId, granted)) await run(transaction, statement);
  }
}

async function run(query: Kysely<Tables>, statement: Statement): Promise<void> {
  await query.executeQuery(CompiledQuery.raw(statement.sql, [...statement.parameters]));
}

/** The attempt with its names as PostgreSQL stores them, so that they match the names read back. */
const asStored = (attempt: SeatAttempt): SeatAttempt => ({
  ...attempt,
  channelId: withoutNul(attempt.channelId),
  connectionId: withoutNul(attempt.connectionId),
});

/** The name of a seat's row: seats with equal names share one row. */
export const seatName = ({ channelId, connectionId }: { channelId: string; connectionId: string }): string =>
  JSON.stringify([withoutNul(channelId), withoutNul(connectionId)]);
