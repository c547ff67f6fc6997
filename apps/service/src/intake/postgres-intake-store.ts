import { type Statement, withoutNul } from "@media-ops/database";
import { seatName } from "../admission/postgres-seats.js";
import {
  CLOCKS_APART_MS,
  ENDED_MS,
  endedPrefix,
  NEVER,
  NEWER_BY_MS,
  type NodeGone,
  SILENCE_MS,
} from "../admission/seats.js";
import { enqueueStatement } from "../deliveries/postgres-delivery-queue.js";
import { byProject, logKinds, sortKey } from "../logs/log-store.js";
import { appendFrom, appendNew } from "../logs/postgres-log-store.js";
import { DAY_MS } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import { type EventEffects, type IntakeStore, sharedRows, type WrittenEffects } from "./intake-store.js";

/** Writes the effects of many events in one transaction: a few statements for each project, all sent at once. */
export class PostgresIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #underWay = new Set<Promise<void>>();
  /** Settles when the last batch that reports a vanished node has been written, or has failed. */
  #nodesGone: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, owner: string, now: () => number) {
    this.#storage = storage;
    this.#owner = owner;
    this.#now = now;
  }

  async write(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    // Several batches are written at once, and a vanished node affects connections in any of them.
    const isAlone = effects.some(isNodeGone);
    const before = isAlone ? Promise.all(this.#underWay) : this.#nodesGone;
    const written = before.then(() => this.#writeInOrder(effects));
    const ended: Promise<void> = written.then(ignore, ignore).then(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    if (isAlone) this.#nodesGone = ended;
    return written;
  }

  async #writeInOrder(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    const now = this.#now();
    const due = new Set<string>();
    const onNodes = new Map<EventEffects, string[]>();
    let from = 0;
    for (const [at, one] of effects.entries()) {
      if (!isNodeGone(one)) continue;
      for (const projectId of await this.#writeEvents(effects.slice(from, at), now)) due.add(projectId);
      onNodes.set(one, await this.#clearNode(one.seats, now));
      from = at;
    }
    for (const projectId of await this.#writeEvents(effects.slice(from), now)) due.add(projectId);
    return { due: [...due], onNodes };
  }

  async #writeEvents(effects: readonly EventEffects[], now: number): Promise<string[]> {
    const owner = this.#owner;
    const statements = byProject(effects.filter(projectOf), projectOf).flatMap(([projectId, own]) => {
      const deliveries = own.flatMap(({ delivery }) => delivery ?? []);
      const entries = own.flatMap((one) => one.entries ?? []);
      const refused = sharedRows(own.flatMap(({ refused }) => refused ?? []));
      return [
        { sql: HOLD, parameters: [projectId] },
        ...roundsOf(own).flatMap((round) => roundStatements(projectId, round, now)),
        ...(entries.length > 0 ? [appendNew(projectId, entries)] : []),
        ...(refused.length > 0 ? [refusedStatement(projectId, refused)] : []),
        ...(deliveries.length > 0 ? [enqueueStatement(projectId, deliveries, { now, owner })] : []),
      ];
    });
    if (statements.length === 0) return [];
    const queues = (await this.#storage.writeAll(statements)).flat() as { project_id: string; owner: string }[];
    return queues.filter((queue) => queue.owner === owner).map(({ project_id }) => project_id);
  }

  /** Frees the seats on a node. Returns the projects that had some. */
  async #clearNode({ eventId, nodeName, at, timestamp }: NodeGone, now: number): Promise<string[]> {
    const time = timestamp ?? new Date(now).toISOString();
    const seats = this.#storage.query.selectFrom("seat").select("project_id").distinct();
    const rows = await seats.where("node_name", "=", nodeName).orderBy("project_id").execute();
    const projectIds = rows.map(({ project_id }) => project_id);
    if (projectIds.length > 0) {
      await this.#storage.writeAll(
        projectIds.flatMap((projectId) => [
          { sql: HOLD, parameters: [projectId] },
          { sql: ADD_VANISHED, parameters: [projectId, nodeName, at, sortKey(time), time, eventId] },
          { sql: NOTE_NODE, parameters: [projectId, eventId, now + ENDED_MS, nodeName, at] },
          { sql: FREE_NODE, parameters: [projectId, nodeName, at] },
        ]),
      );
    }
    return projectIds;
  }

  async writeRefused(exceptMinute: number): Promise<void> {
    const minutes = [exceptMinute, exceptMinute + 1];
    const waiting = this.#storage.query.selectFrom("refused_client").select("project_id").distinct();
    const over = await waiting.where("minute", "not in", minutes).orderBy("project_id").execute();
    for (const { project_id } of over) {
      await this.#storage.writeAll([
        { sql: HOLD, parameters: [project_id] },
        { sql: WRITE_REFUSED, parameters: [project_id, ...minutes] },
      ]);
    }
  }
}

const ignore = (): void => {};

/** Whether an event reports a vanished node. */
const isNodeGone = (effects: EventEffects): effects is EventEffects & { seats: NodeGone } =>
  effects.seats?.kind === "node-gone";

/** The project whose data changes; empty for a vanished node, which may affect several. */
function projectOf({ seats, entries: [entry] = [], refused, delivery }: EventEffects): string {
  const own = seats && seats.kind !== "node-gone" ? seats.projectId : undefined;
  return own ?? (entry ?? refused ?? delivery)?.projectId ?? "";
}

type Connected = Extract<EventEffects["seats"], { kind: "connected" }>;

/** A connection or session that has ended. */
interface End {
  readonly id: string;
  readonly eventId: string;
  /** When it ended, if the event has an entry. */
  readonly timestamp: string | undefined;
  /** The channel, the id in it, and for a session its times. */
  readonly freed: readonly (string | null)[];
}

/** Events of a project that have the same effects if they are written by kind, in this order, as one by one. */
interface Round {
  readonly connections: End[];
  readonly connected: Connected[];
  readonly sessions: End[];
}

/**
 * Splits a project's events into as few rounds as keep their order: a connection's end counts whether it arrives before
 * or after the connection's other events, but a session's end affects only the connections that were reported before
 * it.
 */
function roundsOf(effects: readonly EventEffects[]): Round[] {
  const newRound = (): Round => ({ connections: [], connected: [], sessions: [] });
  let round = newRound();
  const rounds = [round];
  const endedIn = new Set<string>();
  for (const { seats, entries: [entry] = [] } of effects) {
    const timestamp = entry?.timestamp;
    if (seats?.kind === "ended") {
      const { channelId, connectionId, eventId } = seats;
      const id = endedPrefix.connection + connectionId;
      round.connections.push({ id, eventId, timestamp, freed: [channelId, connectionId, null, null] });
    }
    if (seats?.kind === "session-ended") {
      const { channelId, sessionId, eventId, since, at } = seats;
      const id = endedPrefix.session + sessionId;
      round.sessions.push({ id, eventId, timestamp, freed: [channelId, sessionId, since, at] });
      endedIn.add(channelId);
    }
    if (seats?.kind === "connected") {
      if (endedIn.has(seats.channelId)) {
        round = newRound();
        rounds.push(round);
        endedIn.clear();
      }
      round.connected.push(seats);
    }
  }
  return rounds;
}

function roundStatements(projectId: string, { connections, connected, sessions }: Round, now: number): Statement[] {
  return [
    ...(connections.length > 0 ? [endStatement(END_CONNECTIONS, projectId, connections, now)] : []),
    ...(connected.length > 0 ? [connectStatement(projectId, connected, now)] : []),
    ...(sessions.length > 0 ? [endStatement(END_SESSIONS, projectId, sessions, now)] : []),
  ];
}

const HOLD = "select 1 from project where project_id = $1 for no key update";
// An end before the connection was created does not matter: `since` skips the partitions of those days.
const CONNECT = `
  insert into seat (
    project_id, channel_id, connection_id, node_name, session_id, client_id, role, connected, at, until
  )
  select $1, channel_id, connection_id, node_name, session_id, client_id, role, 1, at, $9::bigint
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $10::bigint[])
    as made (channel_id, connection_id, node_name, session_id, client_id, role, at, since)
  where not exists (
    select 1 from ended where ended.project_id = $1 and ended.until >= made.since and ended.id in
      ('${endedPrefix.connection}' || made.connection_id, '${endedPrefix.session}' || made.session_id)
  )
  on conflict (project_id, channel_id, connection_id) do update set
    node_name = excluded.node_name, session_id = excluded.session_id, client_id = excluded.client_id,
    role = excluded.role, connected = 1, at = excluded.at, until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}
    or seat.until > excluded.until + ${CLOCKS_APART_MS}`;
const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedPrefix.connection}' || connection_id, $2, $3 from seat
  where project_id = $1 and node_name = $4 and at <= $5 on conflict do nothing`;
const EVENTS = logKinds.events.number;

// Members without a value are left out.
const ADD_VANISHED = `
  with gone as (
    select 'session.vanished' as type, channel_id, session_id, null as connection_id, null as client_id, null as role
    from seat where project_id = $1 and node_name = $2 and at <= $3 and connected = 1
    group by channel_id, session_id
    union all
    select 'connection.vanished', channel_id, session_id, connection_id, client_id, role
    from seat where project_id = $1 and node_name = $2 and at <= $3 and connected = 1
  ), given as (
    select ${EVENTS} as kind, $4::text as at, row_number() over (order by type, channel_id, connection_id) as n,
      json_strip_nulls(json_build_object('timestamp', $5::text, 'type', type, 'channel_id', channel_id,
        'session_id', session_id, 'connection_id', connection_id, 'client_id', client_id, 'role', role,
        'node_name', $2::text, 'outcome', 'failed', 'reason', 'node-gone', 'event_id', $6::text))::text as entry
    from gone
  ), ${appendFrom("given")}`;

const ADD_REFUSED = `
  insert into refused_client as known (project_id, minute, name, count, at, entry)
  select $1, minute, name, count, at, entry
  from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[])
    as given (minute, name, count, at, entry)
  on conflict (project_id, minute, name) do update set
    count = known.count + excluded.count, at = excluded.at, entry = excluded.entry`;

const WRITE_REFUSED = `
  with over as (
    delete from refused_client where project_id = $1 and minute not in ($2, $3) returning name, count, at, entry
  ), given as (
    select ${EVENTS} as kind, at, row_number() over (order by at, name) as n,
      case count when 1 then entry else left(entry, -1) || ',"count":' || count || '}' end as entry
    from over
  ), ${appendFrom("given")}`;

const FREE_NODE = "delete from seat where project_id = $1 and node_name = $2 and at <= $3";

// Records the ends, and frees their seats.
const end = (isFreed: string): string => `
  with given as (
    select * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[])
      as given (id, event_id, until, channel_id, name, since, gone_at)
  ), freed as (
    delete from seat using given
    where seat.project_id = $1 and seat.channel_id = given.channel_id and ${isFreed}
  )
  insert into ended (project_id, id, event_id, until) select $1, id, event_id, until from given
  order by id, event_id on conflict do nothing`;
const END_CONNECTIONS = end("seat.connection_id = given.name");
// The session's own seats, and those of earlier sessions whose end was lost. Later connections, and admitted clients
// that have not connected yet, belong to another session.
const END_SESSIONS = end(`(seat.session_id = given.name
  or (connected = 1 and (seat.at < given.since or (seat.session_id is null and seat.at <= given.gone_at))))`);

/** Gives seats to new connections, unless they are known to have ended. */
function connectStatement(projectId: string, changes: readonly Connected[], now: number): Statement {
  // One report per seat is enough: others of the same batch need no write.
  const seats = new Map<string, Connected>();
  for (const change of changes) {
    const name = seatName(change);
    if (!seats.has(name)) seats.set(name, change);
  }
  const made = [...seats.values()];
  const columns = (["channelId", "connectionId", "nodeName", "sessionId", "clientId", "role", "at"] as const).map(
    (name) => made.map((change) => change[name]),
  );
  const since = made.map(({ at }) => endedSince(at, now));
  return { sql: CONNECT, parameters: [projectId, ...columns, now + SILENCE_MS, since] };
}

/**
 * The earliest `until` of a remembered end that can affect a connection created at that time. Clocks may differ by a
 * day.
 */
function endedSince(madeAt: string, now: number): number {
  // Date can't parse some times, such as a leap second: then any end counts.
  const time = madeAt === NEVER ? now : Date.parse(`${madeAt}Z`);
  return (Number.isNaN(time) ? 0 : Math.min(time, now)) + ENDED_MS - DAY_MS;
}

function refusedStatement(projectId: string, rows: ReturnType<typeof sharedRows>): Statement {
  return {
    sql: ADD_REFUSED,
    parameters: [projectId, ...([1, 2, 3, 4, 5] as const).map((at) => rows.map((row) => row[at]))],
  };
}

function endStatement(sql: string, projectId: string, ends: readonly End[], now: number): Statement {
  const rows = ends.map(({ id, eventId, timestamp, freed }) => {
    // Based on the event's own time, since it is part of the key: a repeated event must have the same.
    const until = (timestamp === undefined ? now : timeOf(timestamp)) + ENDED_MS;
    return [withoutNul(id), withoutNul(eventId), until, ...freed];
  });
  return { sql, parameters: [projectId, ...[0, 1, 2, 3, 4, 5, 6].map((at) => rows.map((row) => row[at]))] };
}

/** In ms since 1970. A leap second counts as the second before it, because Date rejects it. */
const timeOf = (timestamp: string): number => Math.floor(Date.parse(timestamp.replace(/:60(?=[.Z])/, ":59")));
