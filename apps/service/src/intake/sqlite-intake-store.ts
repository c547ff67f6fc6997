import type { Statement } from "@media-ops/database";
import type { SharedRefused } from "../admission/refused-clients.js";
import {
  CLOCKS_APART_MS,
  ENDED_MS,
  endedPrefix,
  NEWER_BY_MS,
  type SeatChange,
  SILENCE_MS,
} from "../admission/seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { logKinds, sortKey } from "../logs/log-store.js";
import { appendNew } from "../logs/sqlite-log-store.js";
import type { Storage } from "../storage/open-storage.js";
import { type EventEffects, type IntakeStore, sharedRows, type WrittenEffects } from "./intake-store.js";

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
    statements.push(...appendNew(effects.flatMap(({ entries = [] }) => entries)));
    statements.push(...refusedStatements(effects.flatMap(({ refused }) => refused ?? [])));
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

  async writeRefused(exceptPeriod: number): Promise<void> {
    const { query, writeAll } = this.#storage;
    const periods = [exceptPeriod, exceptPeriod + 1];
    // Read first, on the read-only connection: mostly there is nothing to write.
    const over = query.selectFrom("refused_client").select("project_id").distinct().where("minute", "not in", periods);
    for (const { project_id } of await over.execute()) {
      const parameters = [project_id, EVENTS, project_id, EVENTS, project_id, ...periods];
      await writeAll([
        { sql: WRITE_REFUSED, parameters },
        { sql: COUNT_ADDED, parameters: [project_id, EVENTS] },
        { sql: FORGET_REFUSED, parameters: [project_id, ...periods] },
      ]);
    }
  }
}

const EVENTS = logKinds.events.number;

const ADD_REFUSED = `
  insert into refused_client (project_id, minute, name, count, at, entry)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
  on conflict do update set count = count + excluded.count, at = excluded.at, entry = excluded.entry`;
const WRITE_REFUSED = `
  insert into log_entry (project_id, kind, at, seq, entry)
  select ?, ?, at, coalesce((select seq from log_head where project_id = ? and kind = ?), 0)
    + row_number() over (order by at, name),
    iif(count = 1, entry, substr(entry, 1, length(entry) - 1) || ',"count":' || count || '}')
  from refused_client where project_id = ? and minute not in (?, ?)`;
// The entries that the previous statement has added.
const COUNT_ADDED = `
  insert into log_head (project_id, kind, seq) select ?, ?, changes() where changes() > 0
  on conflict (project_id, kind) do update set seq = seq + excluded.seq`;
const FORGET_REFUSED = "delete from refused_client where project_id = ? and minute not in (?, ?)";

function refusedStatements(clients: readonly SharedRefused[]): Statement[] {
  if (clients.length === 0) return [];
  return [{ sql: ADD_REFUSED, parameters: [JSON.stringify(sharedRows(clients))] }];
}

function statementsOf({ seats, delivery }: EventEffects, now: number): Statement[] {
  return [...(seats ? seatStatements(seats, now) : []), ...(delivery ? [enqueueStatement(delivery, now)] : [])];
}

const CONNECT = `
  insert into seat (
    project_id, channel_id, connection_id, node_name, session_id, client_id, role, connected, at, until
  )
  select ?, ?, ?, ?, ?, ?, ?, 1, ?, ? where not exists (select 1 from ended where project_id = ? and id in (?, ?))
  on conflict do update set
    node_name = excluded.node_name, session_id = excluded.session_id, client_id = excluded.client_id,
    role = excluded.role, connected = 1, at = excluded.at, until = excluded.until
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
// Newest last. Members without a value are left out.
const ADD_VANISHED = `
  with gone as (
    select project_id, 'session.vanished' as type, channel_id, session_id, null as connection_id, null as client_id,
      null as role
    from seat where node_name = ? and at <= ? and connected = 1
    group by project_id, channel_id, session_id
    union all
    select project_id, 'connection.vanished', channel_id, session_id, connection_id, client_id, role
    from seat where node_name = ? and at <= ? and connected = 1
  )
  insert into log_entry (project_id, kind, at, seq, entry)
  select project_id, ?, ?,
    coalesce((select seq from log_head as head where head.project_id = gone.project_id and kind = ?), 0)
      + row_number() over (partition by project_id order by type, channel_id, connection_id),
    json_patch('{}', json_object('timestamp', ?, 'type', type, 'channel_id', channel_id, 'session_id', session_id,
      'connection_id', connection_id, 'client_id', client_id, 'role', role, 'node_name', ?,
      'outcome', 'failed', 'reason', 'node-gone', 'event_id', ?))
  from gone`;
const COUNT_VANISHED = `
  insert into log_head (project_id, kind, seq)
  select project_id, ?, count(*) + count(distinct json_array(channel_id, session_id))
  from seat where node_name = ? and at <= ? and connected = 1 group by project_id
  on conflict (project_id, kind) do update set seq = seq + excluded.seq`;
const FREE_NODE = "delete from seat where node_name = ? and at <= ?";
const PROJECTS_ON = "select distinct project_id from seat where node_name = ? order by project_id";

/** Events may arrive in any order: a connection or session that has ended stays ended. */
function seatStatements(change: SeatChange, now: number): Statement[] {
  const until = now + ENDED_MS;
  switch (change.kind) {
    case "connected": {
      const { projectId, channelId, connectionId, nodeName, sessionId, clientId, role, at } = change;
      const ended = [endedPrefix.connection + connectionId, endedPrefix.session + (sessionId ?? "")];
      const holder = [projectId, channelId, connectionId, nodeName, sessionId, clientId, role];
      const seat = [...holder, at, now + SILENCE_MS];
      return [{ sql: CONNECT, parameters: [...seat, projectId, ...ended] }];
    }
    case "ended": {
      const { projectId, channelId, connectionId, eventId } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedPrefix.connection + connectionId, eventId, until] },
        { sql: FREE, parameters: [projectId, channelId, connectionId] },
      ];
    }
    case "session-ended": {
      const { projectId, channelId, sessionId, eventId, since, at } = change;
      return [
        { sql: NOTE, parameters: [projectId, endedPrefix.session + sessionId, eventId, until] },
        { sql: FREE_SESSION, parameters: [projectId, channelId, sessionId, since, at] },
      ];
    }
    case "node-gone": {
      const { eventId, nodeName, at, timestamp = new Date(now).toISOString() } = change;
      const gone = [nodeName, at];
      const entry = [EVENTS, sortKey(timestamp), EVENTS, timestamp, nodeName, eventId];
      return [
        { sql: PROJECTS_ON, parameters: [nodeName] },
        { sql: ADD_VANISHED, parameters: [...gone, ...gone, ...entry] },
        { sql: COUNT_VANISHED, parameters: [EVENTS, ...gone] },
        { sql: NOTE_NODE, parameters: [eventId, until, nodeName, at] },
        { sql: FREE_NODE, parameters: [nodeName, at] },
      ];
    }
  }
}
