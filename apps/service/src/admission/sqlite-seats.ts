import type { Statement } from "@media-ops/database";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../storage/tables.js";
import {
  CLOCKS_APART_MS,
  type CountedSeats,
  ENDED_MS,
  endedKey,
  NEWER_BY_MS,
  type SeatAttempt,
  type SeatChange,
  type SeatQuestion,
  Seats,
  SILENCE_MS,
} from "./seats.js";
import { sweepTable } from "./sqlite-sweep.js";

/** The seats in SQLite. */
export class SqliteSeats extends Seats {
  async sweep(time: number | undefined, signal: AbortSignal): Promise<void> {
    if (time === undefined) return;
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
    { channels, askers, granted, connected }: SeatQuestion,
  ): Promise<readonly CountedSeats[]> {
    // One pass over a channel's seats without sorting; only JSON returns several results of one pass in SQLite.
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
// The session's own seats, and those of earlier sessions whose end was lost. Connections made later, and admitted clients
// that have not connected yet, belong to another session.
const FREE_SESSION = `
  delete from seat where project_id = ? and channel_id = ?
  and (session_id = ? or (connected = 1 and (at < ? or (session_id is null and at <= ?))))`;
const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedKey("connection", "")}' || connection_id, ?, ? from seat where node_name = ? and at <= ?
  on conflict do nothing`;
const FREE_NODE = "delete from seat where node_name = ? and at <= ?";
const PROJECTS_ON = "select distinct project_id from seat where node_name = ? order by project_id";

/** The statement that finds the projects with seats on a node. */
export const projectsOnStatement = (nodeName: string): Statement => ({ sql: PROJECTS_ON, parameters: [nodeName] });

/**
 * The statements that apply an event to the seats. Events may arrive in any order: what has ended stays ended. For an
 * end, the first statement adds a row only if the event is new, and `between` follows right after it.
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
