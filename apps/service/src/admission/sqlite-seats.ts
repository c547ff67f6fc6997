import { setImmediate } from "node:timers/promises";
import { CompiledQuery, type Kysely, sql } from "kysely";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { type CountedSeats, GRANT_AGAIN, grantedSeat, type SeatAttempt, Seats, type SeatsToCount } from "./seats.js";

/** The seats in SQLite. */
export class SqliteSeats extends Seats {
  async sweep(time: number, signal: AbortSignal): Promise<void> {
    if (this.silence.meansGone()) {
      const key = ["project_id", "channel_id", "connection_id"];
      await sweepTable(this.storage, { table: "seat", key, time, signal });
    }
    await sweepTable(this.storage, { table: "ended", key: ["project_id", "id", "event_id"], time, signal });
  }

  /** Not needed: SQLite has one writing transaction at a time. */
  protected async lock(): Promise<void> {}

  protected async count(
    transaction: Kysely<Tables>,
    { channels, askers, granted, connected }: SeatsToCount,
  ): Promise<readonly CountedSeats[]> {
    // One pass over a channel's seats without sorting; in SQLite, only JSON returns several results of one pass.
    const { rows } = await sql<{ seats: string }>`
      with asked as materialized (
        select key, value ->> 0 as project_id, value ->> 1 as channel_id, value ->> 2 as since
        from json_each(${JSON.stringify(channels)})
      )
      select (
        select json_object(
          'own', count(*) filter (where connected = 1),
          'granted', count(*) filter (where connected = 0),
          'recent', json_group_array(at) filter (where connected = 1 and at > since),
          'holders', json_group_array(connection_id) filter (
            where connected = 0 and connection_id in (select value from json_each(${JSON.stringify(askers)}))
          )
        )
        from seat where seat.project_id = asked.project_id and seat.channel_id = asked.channel_id
          and until > iif(connected = 1, ${connected.after}, ${granted.after})
          and until <= iif(connected = 1, ${connected.until}, ${granted.until})
      ) as seats
      from asked order by key
    `.execute(transaction);
    return rows.map(({ seats }) => JSON.parse(seats));
  }

  protected async grant(transaction: Kysely<Tables>, admitted: readonly SeatAttempt[], until: number): Promise<void> {
    const rows = admitted.map((attempt) => ({ project_id: attempt.projectId, ...grantedSeat(attempt) }));
    await sql`
      insert into seat (
        connected, until, project_id, channel_id, connection_id, node_name, at, client_id, role, max_connections,
        jwt_id, issued_at
      )
      select 0, ${until}, value ->> 'project_id', value ->> 'channel_id', value ->> 'connection_id',
        value ->> 'node_name', value ->> 'at', value ->> 'client_id', value ->> 'role', value ->> 'max_connections',
        value ->> 'jwt_id', value ->> 'issued_at'
      from json_each(${JSON.stringify(rows)}) where true ${sql.raw(GRANT_AGAIN)}
    `.execute(transaction);
  }
}

const READ_LIMIT = 1000;

interface Sweeping {
  readonly table: "seat" | "ended";
  readonly key: readonly string[];
  readonly time: number;
  readonly signal: AbortSignal;
}

/** Deletes the rows whose `until` has passed, by a scan: an index by time would cost an update with every row. */
async function sweepTable({ query, writeAll }: Storage, { table, key, time, signal }: Sweeping): Promise<void> {
  const columns = key.join(", ");
  const marks = key.map(() => "?").join(", ");
  const next = `select ${columns}, until from ${table} where (${columns}) > (${marks}) order by ${columns} limit ?`;
  const forget = `delete from ${table} where (${columns}) = (${marks}) and until <= ?`;
  let from: readonly unknown[] = key.map(() => "");
  while (!signal.aborted) {
    const { rows } = await query.executeQuery<Record<string, unknown>>({
      ...CompiledQuery.raw(next, [...from, READ_LIMIT]),
      // Marked as a select, so that it runs on the read-only connection.
      query: query.selectFrom(table).toOperationNode(),
    });
    const keyOf = (row: Record<string, unknown>): unknown[] => key.map((column) => row[column]);
    const old = rows.filter(({ until }) => Number(until) <= time);
    if (old.length > 0) await writeAll(old.map((row) => ({ sql: forget, parameters: [...keyOf(row), time] })));
    const last = rows.at(-1);
    if (!last || rows.length < READ_LIMIT) return;
    from = keyOf(last);
    await setImmediate();
  }
}
