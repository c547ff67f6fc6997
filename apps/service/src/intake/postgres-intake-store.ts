import { type Statement, withoutNul } from "@media-ops/database";
import {
  connectStatement,
  freedByConnections,
  freedBySessions,
  holdStatement,
  nodeStatements,
  projectsOn,
} from "../admission/postgres-seats.js";
import { ENDED_MS, endedKey, type NodeGone } from "../admission/seats.js";
import { enqueueStatement } from "../deliveries/postgres-delivery-queue.js";
import { kindNumbers, sortKey } from "../logs/log-store.js";
import { appendFrom } from "../logs/postgres-log-table.js";
import { byProject, type Storage } from "../storage/open-storage.js";
import {
  type EventEffects,
  type IntakeStore,
  type IntakeWriter,
  isNodeGone,
  ownedBy,
  projectOf,
  type WrittenEffects,
} from "./intake-store.js";

/** Writes the effects of many events in one transaction: a few statements for each project, all sent at once. */
export class PostgresIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #writer: IntakeWriter;
  readonly #underWay = new Set<Promise<void>>();
  /** Resolves when the last batch that reports a vanished node has been written, or has failed. */
  #nodesGone: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, writer: IntakeWriter) {
    this.#storage = storage;
    this.#writer = writer;
  }

  async write(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    // Several batches are written at once, and a vanished node concerns the connections in any of them.
    const isAlone = effects.some(isNodeGone);
    const before = isAlone ? Promise.all(this.#underWay) : this.#nodesGone;
    const written = before.then(() => this.#writeInOrder(effects));
    const ended: Promise<void> = written.then(ignore, ignore).then(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    if (isAlone) this.#nodesGone = ended;
    return written;
  }

  async #writeInOrder(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    const now = this.#writer.now();
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
    const { owner } = this.#writer;
    const statements = byProject(effects.filter(projectOf), projectOf).flatMap(([projectId, own]) => {
      const deliveries = own.flatMap(({ delivery }) => delivery ?? []);
      return [
        holdStatement(projectId),
        ...roundsOf(own).flatMap((round) => roundStatements(projectId, round, now)),
        ...(deliveries.length > 0 ? [enqueueStatement(projectId, deliveries, { now, owner })] : []),
      ];
    });
    if (statements.length === 0) return [];
    return ownedBy(owner, (await this.#storage.writeAll(statements)).flat());
  }

  /** Frees the seats on a node. Returns the projects that had some. */
  async #clearNode(change: NodeGone, now: number): Promise<string[]> {
    const projectIds = await projectsOn(this.#storage, change.nodeName);
    if (projectIds.length > 0) {
      await this.#storage.writeAll(
        projectIds.flatMap((projectId) => [holdStatement(projectId), ...nodeStatements(projectId, change, now)]),
      );
    }
    return projectIds;
  }
}

const ignore = (): void => {};

type Seats<Kind> = Extract<EventEffects["seats"], { kind: Kind }>;

/** An event of one kind, with its log entry. */
interface EventOf<Kind> {
  readonly seats: Seats<Kind>;
  readonly entry: EventEffects["entry"];
}

/** Events of a project that have the same effects if they are written by kind, in this order, as one by one. */
interface Round {
  readonly ended: EventOf<"ended">[];
  readonly connected: Seats<"connected">[];
  readonly sessionEnded: EventOf<"session-ended">[];
}

/**
 * A project's events, in as few rounds as keep their order: a connection's end counts whether it arrives before or after
 * the connection's other events, but a session's end concerns only the connections that were reported before it.
 */
function roundsOf(effects: readonly EventEffects[]): Round[] {
  const newRound = (): Round => ({ ended: [], connected: [], sessionEnded: [] });
  let round = newRound();
  const rounds = [round];
  const endedIn = new Set<string>();
  for (const { seats, entry } of effects) {
    if (seats?.kind === "ended") round.ended.push({ seats, entry });
    if (seats?.kind === "session-ended") {
      round.sessionEnded.push({ seats, entry });
      endedIn.add(seats.channelId);
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

function roundStatements(projectId: string, { ended, connected, sessionEnded }: Round, now: number): Statement[] {
  const connections = ended.map(({ seats, entry }) => {
    const { channelId, connectionId, eventId } = seats;
    return { id: endedKey("connection", connectionId), eventId, entry, freed: [channelId, connectionId, null, null] };
  });
  const sessions = sessionEnded.map(({ seats, entry }) => {
    const { channelId, sessionId, eventId, since, at } = seats;
    return { id: endedKey("session", sessionId), eventId, entry, freed: [channelId, sessionId, since, at] };
  });
  return [
    ...(connections.length > 0 ? [noteStatement(NOTE_CONNECTIONS, projectId, connections, now)] : []),
    ...(connected.length > 0 ? [connectStatement(projectId, connected, now)] : []),
    ...(sessions.length > 0 ? [noteStatement(NOTE_SESSIONS, projectId, sessions, now)] : []),
  ];
}

const noteText = (freed: string): string => `
  with given as (
    select * from unnest(
      $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::integer[], $10::text[], $11::text[]
    ) with ordinality as given (id, event_id, until, channel_id, name, since, gone_at, kind, at, entry, n)
  ), ${freed}, noted as (
    insert into ended (project_id, id, event_id, until) select $1, id, event_id, until from given
    order by id, event_id on conflict do nothing returning id, event_id, until
  ), fresh as (
    select given.* from given join noted using (id, event_id, until) where entry is not null
  ), ${appendFrom("fresh")}`;
const NOTE_CONNECTIONS = noteText(freedByConnections("given"));
const NOTE_SESSIONS = noteText(freedBySessions("given"));

/** In ms since 1970. A leap second counts as the second before it, because Date rejects it. */
const timeOf = (timestamp: string): number => Math.floor(Date.parse(timestamp.replace(/:60(?=[.Z])/, ":59")));

/** A connection or session that has ended. */
interface End {
  readonly id: string;
  readonly eventId: string;
  readonly entry: EventEffects["entry"];
  /** The channel, the id in it, and for a session its times. */
  readonly freed: readonly (string | null)[];
}

/** Remembers what has ended, appends its log entry unless the event has arrived before, and frees its seats. */
function noteStatement(sql: string, projectId: string, ends: readonly End[], now: number): Statement {
  const known = new Set<string>();
  const rows = ends.map(({ id, eventId, entry, freed }) => {
    // By the event's own time, since it is part of the key: a repeated event must have the same.
    const until = (entry ? timeOf(entry.timestamp) : now) + ENDED_MS;
    const name = [withoutNul(id), withoutNul(eventId), until];
    const key = JSON.stringify(name);
    const columns =
      entry && !known.has(key) ? [kindNumbers[entry.kind], sortKey(entry.timestamp), entry.text] : [null, null, null];
    known.add(key);
    return [...name, ...freed, ...columns];
  });
  return { sql, parameters: [projectId, ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => rows.map((row) => row[at]))] };
}
