import type { Statement } from "@media-ops/database";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../storage/tables.js";
import type { CountedSeats } from "./decide-seats.js";
import { CLOCKS_APART_MS, ENDED_MS, endedKey, NEWER_BY_MS, type SeatAttempt, type SeatChange } from "./seats.js";
import { sweepTable } from "./sqlite-sweep.js";
import { type SeatQuestion, SILENCE_MS, StoredSeats } from "./stored-seats.js";

/** The places in SQLite. */
export class SqliteSeats extends StoredSeats {
  async sweep(time: number | undefined, signal: AbortSignal): Promise<void> {
    if (time === undefined) return;
    if (this.silence.meansGone()) {
      const key = ["project_id", "channel_id", "connection_id"];
      await sweepTable(this.storage, { table: "seat", key, time, signal });
    }
    await sweepTable(this.storage, { table: "ended", key: ["project_id", "id", "event_id"], time, signal });
  }

  /** Who is in a transaction is the only one who writes. */
  protected async hold(): Promise<void> {}

  protected async count(
    transaction: Kysely<Tables>,
    { asked, askers, granted, connected }: SeatQuestion,
  ): Promise<readonly CountedSeats[]> {
    // One pass over a channel's places, with nothing to sort: SQLite gives several results of one by JSON alone.
    const { rows } = await sql<{ seats: string }>`
      with asked as materialized (
        select key, value ->> 0 as project_id, value ->> 1 as channel_id, value ->> 2 as since
        from json_each(${JSON.stringify(asked)})
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
    const rows = admitted.map(({ projectId, channelId, connectionId, nodeName, at }) => [
      projectId,
      channelId,
      connectionId,
      nodeName,
      at,
    ]);
    await sql`
      insert into seat (project_id, channel_id, connection_id, node_name, connected, at, until)
      select value ->> 0, value ->> 1, value ->> 2, value ->> 3, 0, value ->> 4, ${until}
      from json_each(${JSON.stringify(rows)}) where true
      on conflict do update set node_name = excluded.node_name, at = excluded.at, until = excluded.until
      where connected = 0
    `.execute(transaction);
  }
}

const CONNECT = `
  insert into seat (project_id, channel_id, connection_id, node_name, session_id, connected, at, until)
  select ?, ?, ?, ?, ?, 1, ?, ? where not exists (select 1 from ended where project_id = ? and id in (?, ?))
  on conflict do update set
    node_name = excluded.node_name, session_id = excluded.session_id, connected = 1, at = excluded.at,
    until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}
    or seat.until > excluded.until + ${CLOCKS_APART_MS}`;
const NOTE = "insert into ended (project_id, id, event_id, until) values (?, ?, ?, ?) on conflict do nothing";
const FREE = "delete from seat where project_id = ? and channel_id = ? and connection_id = ?";
// Its own, and those of sessions before it whose end was lost. Who came later, or was let in and is not here yet, is in
// another one, however long ago that was asked.
const FREE_SESSION = `
  delete from seat where project_id = ? and channel_id = ?
  and (session_id = ? or (connected = 1 and (at < ? or (session_id is null and at <= ?))))`;
const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedKey("connection", "")}' || connection_id, ?, ? from seat where node_name = ? and at <= ?
  on conflict do nothing`;
const FREE_NODE = "delete from seat where node_name = ? and at <= ?";
const PROJECTS_ON = "select distinct project_id from seat where node_name = ? order by project_id";

/** Asks for the projects that have seats on a node. */
export const projectsOnStatement = (nodeName: string): Statement => ({ sql: PROJECTS_ON, parameters: [nodeName] });

/**
 * The statements that bring the places up to date by what an event says. Events may come late: what has ended stays so,
 * in whatever order they come. Of an end the first statement adds a row only where the event has not come before, and
 * `between` stands right behind it.
 */
export function seatStatements(change: SeatChange, now: number, between: readonly Statement[] = []): Statement[] {
  const until = now + ENDED_MS;
  switch (change.kind) {
    case "connected": {
      const { projectId, channelId, connectionId, nodeName, sessionId, at } = change;
      const ended = [endedKey("connection", connectionId), endedKey("session", sessionId ?? "")];
      const seat = [projectId, channelId, connectionId, nodeName, sessionId, at, now + SILENCE_MS];
      return [{ sql: CONNECT, parameters: [...seat, projectId, ...ended] }];
    }
    case "ended": {
      const { projectId, channelId, connectionId, eventId } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedKey("connection", connectionId), eventId, until] },
        ...between,
        { sql: FREE, parameters: [projectId, channelId, connectionId] },
      ];
    }
    case "session-ended": {
      const { projectId, channelId, sessionId, eventId, since, at } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedKey("session", sessionId), eventId, until] },
        ...between,
        { sql: FREE_SESSION, parameters: [projectId, channelId, sessionId, since, at] },
      ];
    }
    case "node-gone": {
      const { eventId, nodeName, at } = change;
      return [
        { sql: NOTE_NODE, parameters: [eventId, until, nodeName, at] },
        { sql: FREE_NODE, parameters: [nodeName, at] },
      ];
    }
  }
}
