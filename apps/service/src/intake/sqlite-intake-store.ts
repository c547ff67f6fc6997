import type { Statement, Step } from "@media-ops/database";
import { ENDED_MS, endedPrefix, RENEW_SEAT, type SeatChange, SILENCE_MS } from "../admission/seats.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import { byProject, type NewEntry } from "../logs/log-store.js";
import { appendNew, appendStatements } from "../logs/sqlite-log-store.js";
import type { ProjectSteps } from "../storage/postgres-writer.js";
import { COUNT_UP_REFUSED, type EventEffects, IntakeStore, refusedRows } from "./intake-store.js";

/** Writes the effects of many events in one transaction. */
export class SqliteIntakeStore extends IntakeStore {
  protected async writeEvents(effects: readonly EventEffects[], now: number): Promise<unknown[]> {
    const { owner } = this;
    const statements = effects.flatMap((one) => statementsOf(one, now));
    statements.push(...appendNew(effects.flatMap(({ entries = [] }) => entries)));
    const refused = effects.flatMap((one) => one.refused ?? []);
    for (const [projectId, own] of byProject(refused, (one) => one.projectId)) {
      statements.push({ sql: ADD_REFUSED, parameters: [projectId, JSON.stringify(refusedRows(own))] });
    }
    const due = new Set(effects.flatMap(({ delivery }) => delivery?.projectId ?? []));
    for (const projectId of due) statements.push(dueStatement(projectId, { now, owner }));
    return (await this.storage.writeAll(statements)).flat();
  }

  protected append(_projectId: string, entries: readonly NewEntry[]): Step[] {
    return appendStatements(entries);
  }

  protected change(projects: readonly ProjectSteps[]): Promise<unknown> {
    return this.storage.writeSteps(projects.flatMap(({ steps }) => steps));
  }
}

const ADD_REFUSED = `
  insert into refused_client (project_id, minute, name, count, at, entry)
  select ?, value ->> 'minute', value ->> 'name', value ->> 'count', value ->> 'at', value ->> 'entry'
  from json_each(?) where true ${COUNT_UP_REFUSED}`;

function statementsOf({ seats, delivery }: EventEffects, now: number): Statement[] {
  return [...(seats ? seatStatements(seats, now) : []), ...(delivery ? [enqueueStatement(delivery, now)] : [])];
}

const CONNECT = `
  insert into seat (
    project_id, channel_id, connection_id, node_name, session_id, client_id, role, connected, at, until
  )
  select ?, ?, ?, ?, ?, ?, ?, 1, ?, ? where not exists (select 1 from ended where project_id = ? and id in (?, ?))
  ${RENEW_SEAT}`;
const NOTE = "insert into ended (project_id, id, event_id, until) values (?, ?, ?, ?) on conflict do nothing";
const FREE = "delete from seat where project_id = ? and channel_id = ? and connection_id = ?";
// The session's own seats, and those of earlier sessions whose end was lost. Later connections, and admitted clients
// that have not connected yet, belong to another session.
const FREE_SESSION = `
  delete from seat where project_id = ? and channel_id = ?
  and (session_id = ? or (connected = 1 and (at < ? or (session_id is null and at <= ?))))`;
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
    default:
      return [];
  }
}
