import type { Statement } from "@media-ops/database";
import { type Admission, decideAdmission } from "@media-ops/tokens";
import { type Kysely, sql } from "kysely";
import { endedKey, noteEnded } from "../storage/ended.js";
import type { Storage } from "../storage/open-storage.js";
import { sweepTable } from "../storage/sweep.js";
import type { Tables } from "../storage/tables.js";
import { connectionsNow } from "./connections-now.js";
import { NEVER, NEWER_BY_MS, type Seat, type SeatAttempt, type SeatChange, type Seats } from "./seats.js";

// Who was let in and is not seen by then has given up.
const GRANT_MS = 30_000;
// A connection is heard of every minute. One that is not heard of for so long has ended without our being told.
const SILENCE_MS = 60 * 60 * 1000;
// Longer than an entry is listed, or an event is ever late.
const ENDED_MS = 31 * 24 * 60 * 60 * 1000;

/** What is known of a channel while a batch is decided. */
interface Channel {
  own: number;
  readonly granted: Set<string>;
  /** When connections were made of which the media server may not have known yet. */
  readonly recent: string[];
}

export class SqliteSeats implements Seats {
  readonly #storage: Storage;
  readonly #query: Storage["query"];
  readonly #now: () => number;

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#query = storage.query;
    this.#now = now;
  }

  decide(attempts: readonly SeatAttempt[]): Promise<Admission[]> {
    const now = this.#now();
    return this.#query.transaction().execute(async (transaction) => {
      const channels = await readChannels(transaction, attempts, now);
      const admissions = attempts.map((attempt) => decideOne(attempt, channels.get(channelKey(attempt))));
      await grant(
        transaction,
        attempts.filter((_, at) => admissions[at]?.allowed),
        now + GRANT_MS,
      );
      return admissions;
    });
  }

  async release({ projectId, channelId, connectionId }: Seat): Promise<void> {
    await this.#query
      .deleteFrom("seat")
      .where("project_id", "=", projectId)
      .where("channel_id", "=", channelId)
      .where("connection_id", "=", connectionId)
      .where("connected", "=", 0)
      .execute();
  }

  async ofConnection(connectionId: string): Promise<Seat[]> {
    const rows = await this.#query
      .selectFrom("seat")
      .select(["project_id", "channel_id"])
      .where("connection_id", "=", connectionId)
      .execute();
    return rows.map(({ project_id, channel_id }) => ({
      projectId: project_id,
      channelId: channel_id,
      connectionId,
    }));
  }

  async projectsOn(nodeName: string): Promise<string[]> {
    const rows = await this.#query
      .selectFrom("seat")
      .select("project_id")
      .distinct()
      .where("node_name", "=", nodeName)
      .execute();
    return rows.map(({ project_id }) => project_id);
  }

  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#now();
    await sweepTable(this.#storage, { table: "seat", key: ["project_id", "channel_id", "connection_id"], now, signal });
    await sweepTable(this.#storage, { table: "ended", key: ["project_id", "id", "event_id"], now, signal });
  }
}

const channelKey = ({ projectId, channelId }: Pick<SeatAttempt, "projectId" | "channelId">): string =>
  `${projectId} ${channelId}`;

async function readChannels(
  transaction: Kysely<Tables>,
  attempts: readonly SeatAttempt[],
  now: number,
): Promise<Map<string, Channel>> {
  // Since when connections matter that the media server may not have counted: since the first of a channel asked.
  const since = new Map<string, [projectId: string, channelId: string, at: string]>();
  for (const attempt of attempts) {
    const [, , at = NEVER] = since.get(channelKey(attempt)) ?? [];
    const [earliest = NEVER] = [attempt.at || NEVER, at].sort();
    since.set(channelKey(attempt), [attempt.projectId, attempt.channelId, earliest]);
  }
  const channels = JSON.stringify([...since.values()]);
  const { rows } = await sql<{
    project_id: string;
    channel_id: string;
    connected: number;
    connection_id: string | null;
    at: string | null;
    seats: number;
  }>`
    select project_id, channel_id, connected, connection_id, at, count(*) as seats
    from (
      select seat.project_id, seat.channel_id, connected,
        case when connected = 0 then connection_id end as connection_id,
        case when connected = 1 and at > value ->> 2 then at end as at
      from json_each(${channels})
      join seat on seat.project_id = value ->> 0 and seat.channel_id = value ->> 1
      where until > ${now}
    )
    group by project_id, channel_id, connected, connection_id, at
  `.execute(transaction);
  const found = new Map<string, Channel>();
  for (const { project_id: projectId, channel_id: channelId, connection_id, at, seats } of rows) {
    const key = channelKey({ projectId, channelId });
    const channel = found.get(key) ?? { own: 0, granted: new Set(), recent: [] };
    found.set(key, channel);
    if (connection_id !== null) channel.granted.add(connection_id);
    else channel.own += seats;
    if (at !== null) for (let seat = 0; seat < seats; seat++) channel.recent.push(at);
  }
  for (const key of since.keys()) if (!found.has(key)) found.set(key, { own: 0, granted: new Set(), recent: [] });
  return found;
}

function decideOne(attempt: SeatAttempt, channel: Channel | undefined): Admission {
  if (!channel) throw new Error("A channel was not looked at.");
  const { projectId, claims, channelId, connectionId, role, at, reported } = attempt;
  const { own, granted, recent } = channel;
  const connections = connectionsNow({
    reported,
    own,
    later: at === "" ? 0 : recent.filter((madeAt) => madeAt > at).length,
    // Who asks again takes nobody else's place.
    granted: granted.size - (granted.has(connectionId) ? 1 : 0),
  });
  const admission = decideAdmission(
    claims,
    { channel_id: channelId, role, channel_connections: connections },
    { project_id: projectId },
  );
  if (admission.allowed) granted.add(connectionId);
  return admission;
}

async function grant(transaction: Kysely<Tables>, attempts: readonly SeatAttempt[], until: number): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map(({ projectId, channelId, connectionId, nodeName, at }) => [
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

const CONNECT = `
  insert into seat (project_id, channel_id, connection_id, node_name, session_id, connected, at, until)
  select ?, ?, ?, ?, ?, 1, ?, ? where not exists (select 1 from ended where project_id = ? and id in (?, ?))
  on conflict do update set
    node_name = excluded.node_name, session_id = excluded.session_id, connected = 1, at = excluded.at,
    until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}`;
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
        noteEnded({ projectId, kind: "connection", id: connectionId, eventId, until }),
        ...between,
        { sql: FREE, parameters: [projectId, channelId, connectionId] },
      ];
    }
    case "session-ended": {
      const { projectId, channelId, sessionId, eventId, since, at } = change;
      return [
        noteEnded({ projectId, kind: "session", id: sessionId, eventId, until }),
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
