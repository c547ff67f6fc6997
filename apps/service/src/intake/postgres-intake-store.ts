import { type Step, withoutNul } from "@media-ops/database";
import { seatName } from "../admission/postgres-seats.js";
import { ENDED_MS, endedPrefix, NEVER, SILENCE_MS } from "../admission/seats.js";
import { enqueueStatements } from "../deliveries/postgres-delivery-queue.js";
import { byProject, type NewEntry } from "../logs/log-store.js";
import { DAY_MS } from "../storage/day-partitions.js";
import { type ConnectedSeat, type EndedSeats, type ProjectSteps, projectWriterOf } from "../storage/postgres-writer.js";
import { COUNT_UP_REFUSED, type EventEffects, IntakeStore, projectOf, refusedRows } from "./intake-store.js";

/** Writes the effects of many events in one transaction: a few statements for each project, all sent at once. */
export class PostgresIntakeStore extends IntakeStore {
  readonly #writer = projectWriterOf(this.storage);

  protected async writeEvents(effects: readonly EventEffects[], now: number): Promise<unknown[]> {
    const { owner } = this;
    const writer = this.#writer;
    const projects = byProject(effects, projectOf).map(([projectId, own]) => {
      const deliveries = own.flatMap(({ delivery }) => delivery ?? []);
      const entries = own.flatMap((one) => one.entries ?? []);
      const refused = refusedRows(own.flatMap((one) => one.refused ?? []));
      const steps = [
        writer.hold(projectId),
        ...roundsOf(own, now).flatMap((round) => this.#roundSteps(projectId, round, now)),
        ...(entries.length > 0 ? [writer.append(projectId, entries, "new")] : []),
        ...writer.insert(projectId, { table: "refused_client", rows: refused, onConflict: COUNT_UP_REFUSED }),
        ...(deliveries.length > 0 ? enqueueStatements(writer, projectId, deliveries, { now, owner }) : []),
      ];
      return { projectId, steps };
    });
    return (await writer.write(projects)).flat();
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

  protected append(projectId: string, entries: readonly NewEntry[]): Step[] {
    return entries.length > 0 ? [this.#writer.append(projectId, entries, "all")] : [];
  }

  protected change(projects: readonly ProjectSteps[]): Promise<unknown> {
    const held = projects.map(({ projectId, steps }) => ({
      projectId,
      steps: [this.#writer.hold(projectId), ...steps],
    }));
    return this.#writer.write(held);
  }
}

type Connected = Omit<ConnectedSeat, "since">;

/** Events of a project that have the same effects if they are written by kind, in this order, as one by one. */
interface Round {
  readonly connections: EndedSeats[];
  readonly connected: Connected[];
  readonly sessions: EndedSeats[];
}

/** Splits events into few rounds: a session's end affects only the connections that were reported before it. */
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
