import { type Statement, withoutNul } from "@media-ops/database";
import {
  connectStatement,
  freedByConnections,
  freedBySessions,
  holdStatement,
  nodeStatements,
  projectsOn,
} from "../admission/postgres-seats.js";
import type { NodeGone } from "../admission/seats.js";
import { enqueueStatement } from "../deliveries/postgres-delivery-queue.js";
import { kindNumbers } from "../logs/kinds.js";
import { appendFrom } from "../logs/postgres-log-table.js";
import { sortKey } from "../logs/sort-key.js";
import { byProject } from "../storage/by-project.js";
import { ENDED_MS, endedKey } from "../storage/ended.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type IntakeStore,
  isNodeGone,
  ownedBy,
  projectOf,
  type Taken,
  type Taker,
  type Written,
} from "./intake-store.js";

/** Writes what many events leave behind in one transaction: few statements for each project, all of them sent at once. */
export class PostgresIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #taker: Taker;
  readonly #underWay = new Set<Promise<void>>();
  /** Done when the last batch that reports a vanished node has been written. */
  #nodesGone: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, taker: Taker) {
    this.#storage = storage;
    this.#taker = taker;
  }

  async take(taken: readonly Taken[]): Promise<Written> {
    // Several batches are written at once, and a vanished node concerns what any of them says of its connections.
    const isAlone = taken.some(isNodeGone);
    const before = isAlone ? Promise.all(this.#underWay) : this.#nodesGone;
    const written = before.then(() => this.#write(taken));
    const ended: Promise<void> = written.then(ignore, ignore).then(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    if (isAlone) this.#nodesGone = ended;
    return written;
  }

  async #write(taken: readonly Taken[]): Promise<Written> {
    const now = this.#taker.now();
    const due = new Set<string>();
    const onNodes = new Map<Taken, string[]>();
    let from = 0;
    for (const [at, one] of taken.entries()) {
      if (!isNodeGone(one)) continue;
      for (const projectId of await this.#writeEvents(taken.slice(from, at), now)) due.add(projectId);
      onNodes.set(one, await this.#clearNode(one.seats, now));
      from = at;
    }
    for (const projectId of await this.#writeEvents(taken.slice(from), now)) due.add(projectId);
    return { due: [...due], onNodes };
  }

  async #writeEvents(taken: readonly Taken[], now: number): Promise<string[]> {
    const { owner } = this.#taker;
    const statements = byProject(taken.filter(projectOf), projectOf).flatMap(([projectId, own]) => {
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

  /** Frees the seats on a node. Gives the projects that had some. */
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

type Seats<Kind> = Extract<Taken["seats"], { kind: Kind }>;

/** An event of one kind, with the entry that it leaves. */
interface Of<Kind> {
  readonly seats: Seats<Kind>;
  readonly entry: Taken["entry"];
}

/** Events of a project that leave the same written by kinds, in this order, as written one by one. */
interface Round {
  readonly ended: Of<"ended">[];
  readonly connected: Seats<"connected">[];
  readonly sessionEnded: Of<"session-ended">[];
}

/**
 * A project's events, in as few rounds as keep their order: a connection's end counts whether it comes before or after what
 * else is said of the connection, but a session's end concerns only the connections that were reported before it.
 */
function roundsOf(taken: readonly Taken[]): Round[] {
  const rounds: Round[] = [];
  let round: Round | undefined;
  let channels = new Set<string>();
  const current = (): Round => {
    if (round) return round;
    round = { ended: [], connected: [], sessionEnded: [] };
    rounds.push(round);
    return round;
  };
  for (const { seats, entry } of taken) {
    if (seats?.kind === "ended") current().ended.push({ seats, entry });
    if (seats?.kind === "session-ended") {
      current().sessionEnded.push({ seats, entry });
      channels.add(seats.channelId);
    }
    if (seats?.kind === "connected") {
      if (channels.has(seats.channelId)) {
        round = undefined;
        channels = new Set();
      }
      current().connected.push(seats);
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

/** In ms since 1970. A leap second is the one before it: Date knows none. */
const timeOf = (timestamp: string): number => Math.floor(Date.parse(timestamp.replace(/:60(?=[.Z])/, ":59")));

/** What has ended, by which event. */
interface End {
  readonly id: string;
  readonly eventId: string;
  readonly entry: Taken["entry"];
  /** The channel, the name in it, and for a session its times. */
  readonly freed: readonly (string | null)[];
}

/**
 * Notes what has ended, and what the log says of it, unless the event has said so before; and frees the seats that end with
 * it.
 */
function noteStatement(sql: string, projectId: string, ends: readonly End[], now: number): Statement {
  const known = new Set<string>();
  const rows = ends.map(({ id, eventId, entry, freed }) => {
    // By the event's own time, so that it is the same however often the event comes: it is part of the key.
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
