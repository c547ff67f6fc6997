import { type Exchange, type Step, withoutNul } from "@media-ops/database";
import { seatName } from "../admission/postgres-seats.js";
import { ENDED_MS, endedPrefix, NEVER, type NodeGone, SILENCE_MS } from "../admission/seats.js";
import { enqueueStatements } from "../deliveries/postgres-delivery-queue.js";
import { byProject, type NewEntry, toEvent } from "../logs/log-store.js";
import { DAY_MS } from "../storage/day-partitions.js";
import type { Storage } from "../storage/open-storage.js";
import {
  type ConnectedSeat,
  type EndedSeats,
  type NewRows,
  type ProjectWriter,
  projectWriterOf,
} from "../storage/postgres-writer.js";
import type { Tables } from "../storage/tables.js";
import { type EventEffects, type IntakeStore, projectOf, sharedRows, type WrittenEffects } from "./intake-store.js";

/** Writes the effects of many events in one transaction: a few statements for each project, all sent at once. */
export class PostgresIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #writer: ProjectWriter;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #underWay = new Set<Promise<void>>();
  /** Settles when the last batch that reports a vanished node has been written, or has failed. */
  #nodesGone: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, owner: string, now: () => number) {
    this.#storage = storage;
    this.#writer = projectWriterOf(storage);
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
    const [owner, writer] = [this.#owner, this.#writer];
    const projects = byProject(effects.filter(projectOf), projectOf).map(([projectId, own]) => {
      const deliveries = own.flatMap(({ delivery }) => delivery ?? []);
      const entries = own.flatMap((one) => one.entries ?? []);
      const refused = sharedRows(own.flatMap(({ refused }) => refused ?? []));
      const steps = [
        writer.hold(projectId),
        ...roundsOf(own, now).flatMap((round) => this.#roundSteps(projectId, round, now)),
        ...(entries.length > 0 ? [writer.append(projectId, entries, "new")] : []),
        ...writer.insert(projectId, refusedRows(refused)),
        ...(deliveries.length > 0 ? enqueueStatements(writer, projectId, deliveries, { now, owner }) : []),
      ];
      return { projectId, steps };
    });
    if (projects.length === 0) return [];
    const queues = (await writer.write(projects)).flat() as { project_id: string; owner: string }[];
    return queues.filter((queue) => queue.owner === owner).map(({ project_id }) => project_id);
  }

  #roundSteps(projectId: string, { connections, connected, sessions }: Round, now: number): Step[] {
    const writer = this.#writer;
    const seats = seatsOf(connected, now);
    return [
      ...(connections.length > 0 ? writer.end(projectId, "connections", connections) : []),
      ...(seats.length > 0 ? [writer.connect(projectId, seats, now + SILENCE_MS)] : []),
      ...(sessions.length > 0 ? writer.end(projectId, "sessions", sessions) : []),
    ];
  }

  /** Returns the projects that had seats on the node. */
  async #clearNode(gone: NodeGone, now: number): Promise<string[]> {
    const { eventId, nodeName, at, timestamp = new Date(now).toISOString() } = gone;
    const seats = this.#storage.query.selectFrom("seat").select("project_id").distinct();
    const rows = await seats.where("node_name", "=", nodeName).orderBy("project_id").execute();
    const projectIds = rows.map(({ project_id }) => project_id);
    const ofNode = (projectId: string) => [projectId, nodeName, at];
    const note = (projectId: string, lost: readonly LostSeat[]): Step[] => {
      if (lost.length === 0) return [];
      const entries = vanishedEntries(projectId, lost, { timestamp, node_name: nodeName, event_id: eventId });
      return [this.#writer.append(projectId, entries, "all")];
    };
    await this.#writer.write(
      projectIds.map((projectId) => ({
        projectId,
        steps: [
          this.#writer.hold(projectId),
          {
            ask: [{ sql: LOST_SEATS, parameters: ofNode(projectId) }],
            next: ([lost = []]) => note(projectId, lost as readonly LostSeat[]),
          },
          { sql: NOTE_NODE, parameters: [...ofNode(projectId), eventId, now + ENDED_MS] },
          { sql: FREE_NODE, parameters: ofNode(projectId) },
        ],
      })),
    );
    return projectIds;
  }

  async writeRefused(exceptPeriod: number): Promise<void> {
    const periods = [exceptPeriod, exceptPeriod + 1];
    const waiting = this.#storage.query.selectFrom("refused_client").select("project_id").distinct();
    const over = await waiting.where("minute", "not in", periods).orderBy("project_id").execute();
    for (const { project_id: projectId } of over) {
      const take = { sql: TAKE_REFUSED, parameters: [projectId, ...periods] };
      const next: Exchange["next"] = ([taken = []]) => {
        const entries = refusedEntries(projectId, taken as readonly TakenRefused[]);
        return entries.length > 0 ? [this.#writer.append(projectId, entries, "all")] : [];
      };
      await this.#writer.write([{ projectId, steps: [this.#writer.hold(projectId), { ask: [take], next }] }]);
    }
  }
}

const ignore = (): void => {};

const isNodeGone = (effects: EventEffects): effects is EventEffects & { seats: NodeGone } =>
  effects.seats?.kind === "node-gone";

type Connected = Omit<ConnectedSeat, "since">;

/** Events of a project that have the same effects if they are written by kind, in this order, as one by one. */
interface Round {
  readonly connections: EndedSeats[];
  readonly connected: Connected[];
  readonly sessions: EndedSeats[];
}

/**
 * Splits a project's events into as few rounds as keep their order: a connection's end counts whenever it arrives, but
 * a session's end affects only the connections that were reported before it.
 */
function roundsOf(effects: readonly EventEffects[], now: number): Round[] {
  const newRound = (): Round => ({ connections: [], connected: [], sessions: [] });
  let round = newRound();
  const rounds = [round];
  const endedIn = new Set<string>();
  for (const { seats, entries: [entry] = [] } of effects) {
    // Based on the event's own time, since it is part of the key: a repeated event must have the same.
    const until = (entry === undefined ? now : timeOf(entry.timestamp)) + ENDED_MS;
    if (seats?.kind === "ended") {
      const { channelId, connectionId, eventId } = seats;
      const id = withoutNul(endedPrefix.connection + connectionId);
      round.connections.push({ id, eventId: withoutNul(eventId), until, freed: [channelId, connectionId, null, null] });
    }
    if (seats?.kind === "session-ended") {
      const { channelId, sessionId, eventId, since, at } = seats;
      const id = withoutNul(endedPrefix.session + sessionId);
      round.sessions.push({ id, eventId: withoutNul(eventId), until, freed: [channelId, sessionId, since, at] });
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

const FREE_NODE = "delete from seat where project_id = $1 and node_name = $2 and at <= $3";
const NOTE_NODE = `
  insert into ended (project_id, id, event_id, until)
  select project_id, '${endedPrefix.connection}' || connection_id, $4, $5 from seat
  where project_id = $1 and node_name = $2 and at <= $3 on conflict do nothing`;
const LOST_SEATS = `
  select channel_id, session_id, connection_id, client_id, role from seat
  where project_id = $1 and node_name = $2 and at <= $3 and connected = 1`;
const TAKE_REFUSED = `
  delete from refused_client where project_id = $1 and minute not in ($2, $3) returning name, count, at, entry`;

type LostSeat = Pick<Tables["seat"], "channel_id" | "connection_id"> & {
  readonly session_id: string | null;
  readonly client_id: string | null;
  readonly role: string | null;
};

function vanishedEntries(
  projectId: string,
  lost: readonly LostSeat[],
  { timestamp, node_name, event_id }: { timestamp: string; node_name: string; event_id: string },
): NewEntry[] {
  const toEntry = (type: string, { channel_id, session_id, connection_id, client_id, role }: Partial<LostSeat>) =>
    toEvent(projectId, {
      timestamp,
      type,
      channel_id,
      session_id: session_id ?? undefined,
      connection_id,
      client_id: client_id ?? undefined,
      role: role ?? undefined,
      node_name,
      outcome: "failed",
      reason: "node-gone",
      event_id,
    });
  const inOrder = [...lost].sort(by(({ channel_id, connection_id }) => `${channel_id} ${connection_id}`));
  const sessions = new Map(inOrder.map((seat) => [`${seat.channel_id} ${seat.session_id}`, seat]));
  return [
    ...inOrder.map((seat) => toEntry("connection.vanished", seat)),
    ...[...sessions.values()].map(({ channel_id, session_id }) =>
      toEntry("session.vanished", { channel_id, session_id }),
    ),
  ];
}

type TakenRefused = Pick<Tables["refused_client"], "name" | "count" | "at" | "entry">;

function refusedEntries(projectId: string, taken: readonly TakenRefused[]): NewEntry[] {
  return [...taken].sort(by(({ at, name }) => `${at} ${name}`)).map(({ count, at, entry }) => ({
    projectId,
    kind: "events",
    timestamp: `${at}Z`,
    text: count === 1 ? entry : `${entry.slice(0, -1)},"count":${count}}`,
  }));
}

const by =
  <Item>(keyOf: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    keyOf(one) < keyOf(other) ? -1 : 1;

const refusedRows = (rows: ReturnType<typeof sharedRows>): NewRows => ({
  table: "refused_client",
  rows: rows.map(([, minute, name, count, at, entry]) => ({ minute, name, count, at, entry })),
  onConflict: `on conflict (project_id, minute, name) do update set
    count = refused_client.count + excluded.count, at = excluded.at, entry = excluded.entry`,
});

/** The seats of new connections. One report per seat is enough: others of the same batch need no write. */
function seatsOf(changes: readonly Connected[], now: number): ConnectedSeat[] {
  const seats = new Map<string, Connected>();
  for (const change of changes) {
    const name = seatName(change);
    if (!seats.has(name)) seats.set(name, change);
  }
  return [...seats.values()].map((seat) => ({ ...seat, since: endedSince(seat.at, now) }));
}

/** The earliest `until` of an end that can affect a connection of that time. Clocks may differ by a day. */
function endedSince(madeAt: string, now: number): number {
  // Date can't parse some times, such as a leap second: then any end counts.
  const time = madeAt === NEVER ? now : Date.parse(`${madeAt}Z`);
  return (Number.isNaN(time) ? 0 : Math.min(time, now)) + ENDED_MS - DAY_MS;
}

/** In ms since 1970. A leap second counts as the second before it, because Date rejects it. */
const timeOf = (timestamp: string): number => Math.floor(Date.parse(timestamp.replace(/:60(?=[.Z])/, ":59")));
