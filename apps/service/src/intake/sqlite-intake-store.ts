import type { Statement } from "@media-ops/database";
import {
  CLOCKS_APART_MS,
  ENDED_MS,
  endedPrefix,
  NEWER_BY_MS,
  type SeatChange,
  SILENCE_MS,
} from "../admission/seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { appendIfNew } from "../logs/sqlite-log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { EventEffects, IntakeStore, WrittenEffects } from "./intake-store.js";

/** Writes the effects of many events in one transaction. */
export class SqliteIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #owner: string;
  readonly #now: () => number;

  constructor(storage: Storage, owner: string, now: () => number) {
    this.#storage = storage;
    this.#owner = owner;
    this.#now = now;
  }

  async write(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    const owner = this.#owner;
    const now = this.#now();
    const statements = effects.flatMap((one) => statementsOf(one, now));
    const due = new Set(effects.flatMap(({ delivery }) => delivery?.projectId ?? []));
    for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
    const rows = (await this.#storage.writeAll(statements)) as { project_id: string; owner: string }[][];
    const gone = effects.filter(({ seats }) => seats?.kind === "node-gone");
    // The statements that return rows: first one for each vanished node, then those for due deliveries.
    return {
      onNodes: new Map(gone.map((one, at) => [one, (rows[at] ?? []).map(({ project_id }) => project_id)])),
      due: rows
        .slice(gone.length)
        .flat()
        .filter((queue) => queue.owner === owner)
        .map(({ project_id }) => project_id),
    };
  }
}

function statementsOf({ entry, seats, delivery }: EventEffects, now: number): Statement[] {
  return [
    ...(seats ? seatStatements(seats, now, entry && appendIfNew(entry)) : []),
    ...(delivery ? [enqueueStatement(delivery, now)] : []),
  ];
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
// The session's own seats, and those of earlier sessions whose end was lost. Later connections, and admitted clients
// that have not connected yet, belong to another session.
const FREE_SESSION = `
  delete from seat where project_id = ? and channel_id = ?
  and (session_id = ? or (connected = 1 and (at < ? or (session_id is null and at <= ?))))`;
const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedPrefix.connection}' || connection_id, ?, ? from seat where node_name = ? and at <= ?
  on conflict do nothing`;
const FREE_NODE = "delete from seat where node_name = ? and at <= ?";
const PROJECTS_ON = "select distinct project_id from seat where node_name = ? order by project_id";

/**
 * The statements that apply an event to the seats. Events may arrive in any order: a connection or session that has
 * ended stays ended. For an end, the first statement adds a row only if the event is new, and `between` follows right
 * after it.
 */
function seatStatements(change: SeatChange, now: number, between: readonly Statement[] = []): Statement[] {
  const until = now + ENDED_MS;
  switch (change.kind) {
    case "connected": {
      const { projectId, channelId, connectionId, nodeName, sessionId, at } = change;
      const ended = [endedPrefix.connection + connectionId, endedPrefix.session + (sessionId ?? "")];
      const seat = [projectId, channelId, connectionId, nodeName, sessionId, at, now + SILENCE_MS];
      return [{ sql: CONNECT, parameters: [...seat, projectId, ...ended] }];
    }
    case "ended": {
      const { projectId, channelId, connectionId, eventId } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedPrefix.connection + connectionId, eventId, until] },
        ...between,
        { sql: FREE, parameters: [projectId, channelId, connectionId] },
      ];
    }
    case "session-ended": {
      const { projectId, channelId, sessionId, eventId, since, at } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedPrefix.session + sessionId, eventId, until] },
        ...between,
        { sql: FREE_SESSION, parameters: [projectId, channelId, sessionId, since, at] },
      ];
    }
    case "node-gone": {
      const { eventId, nodeName, at } = change;
      return [
        { sql: PROJECTS_ON, parameters: [nodeName] },
        { sql: NOTE_NODE, parameters: [eventId, until, nodeName, at] },
        { sql: FREE_NODE, parameters: [nodeName, at] },
      ];
    }
  }
}
