import { type Admission, decideAdmission, type TokenClaims } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import { ClockSteps, type Clocks } from "../config/surroundings.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** Sorts after every timestamp. */
export const NEVER = "~";

/** A seat is renewed only if this much time has passed since the last renewal: most reports need no write. */
export const NEWER_BY_MS: number = 10 * 60 * 1000;

/** A seat that ends by more than this after the latest possible time was granted by a clock that was ahead. */
const CLOCKS_APART_MS = 30_000;

/** How a seat that a reported connection has already is handled. */
export const RENEW_SEAT = `
  on conflict (project_id, channel_id, connection_id) do update set
    node_name = excluded.node_name, session_id = excluded.session_id, client_id = excluded.client_id,
    role = excluded.role, connected = 1, at = excluded.at, until = excluded.until
  where seat.connected = 0 or seat.until < excluded.until - ${NEWER_BY_MS}
    or seat.until > excluded.until + ${CLOCKS_APART_MS}`;

/** How a seat that an admitted client has already is handled. */
export const GRANT_AGAIN = `
  on conflict (project_id, channel_id, connection_id) do update set
    node_name = excluded.node_name, at = excluded.at, client_id = excluded.client_id, role = excluded.role,
    max_connections = excluded.max_connections, jwt_id = excluded.jwt_id, issued_at = excluded.issued_at,
    until = excluded.until
  where seat.connected = 0`;

/** A connection that is not reported for this long has ended, even if no end event arrived. */
export const SILENCE_MS: number = 60 * 60 * 1000;

/** An admitted client that has not connected within this time has given up. */
const GRANT_MS = 30_000;

/** A client with a valid token that requests a seat in a channel. */
export interface SeatAttempt extends Seat {
  readonly claims: TokenClaims;
  /** Undefined if the client gave no id of its own. */
  readonly clientId?: string | undefined;
  readonly role: string;
  readonly nodeName: string;
  /** When the client sent its request, as a text that sorts; empty if unknown. */
  readonly at: string;
  /** The media server's count of the channel's connections. */
  readonly reported: number | undefined;
}

/** The change that an event causes in the seats of a channel. */
export type SeatChange =
  | (Seat & {
      readonly kind: "connected";
      readonly clientId: string | null;
      readonly role: string | null;
      readonly nodeName: string;
      readonly sessionId: string | null;
      readonly at: string;
    })
  | (Seat & { readonly kind: "ended"; readonly eventId: string })
  | (Omit<Seat, "connectionId"> & {
      readonly kind: "session-ended";
      readonly sessionId: string;
      readonly eventId: string;
      /** When the session began, and when it ended. */
      readonly since: string;
      readonly at: string;
    })
  | NodeGone;

/** A node that has vanished, and with it all connections created on it until then. */
export interface NodeGone {
  readonly kind: "node-gone";
  readonly nodeName: string;
  readonly eventId: string;
  readonly at: string;
  /** The time of the event, as its entries in the event log have it. @default when it is written */
  readonly timestamp?: string | undefined;
}

interface Seat {
  readonly projectId: string;
  readonly channelId: string;
  readonly connectionId: string;
}

/** The columns of an admitted client's seat. */
export const grantedSeat = ({ channelId, connectionId, nodeName, at, clientId, role, claims }: SeatAttempt) => ({
  ...{ channel_id: channelId, connection_id: connectionId, node_name: nodeName, at, client_id: clientId ?? null, role },
  max_connections: claims.max_channel_connections ?? null,
  jwt_id: claims.jti?.toLowerCase() ?? null,
  issued_at: claims.iat === undefined ? null : Math.floor(claims.iat),
});

/** A channel of a batch, and the time after which the media server may not have counted its connections. */
export type ChannelSince = readonly [projectId: string, channelId: string, since: string];

/** The seats of a channel as the database counts them. */
export interface CountedSeats {
  /** Connections that were created and have not ended. */
  readonly own: number;
  /** Seats of admitted clients that have not connected yet. */
  readonly granted: number;
  /** When the connections were created that the media server may not have counted yet. */
  readonly recent: readonly string[];
  /** Connections of this batch that already hold a granted seat. */
  readonly holders: readonly string[];
}

// Until silence counts as an end, every connection counts unless it was reported as ended.
const ALL = { after: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER };

/** Which seats count at a time in ms since 1970, of those that are granted and of those that connections hold. */
export function countingSeats(now: number, silence: Silence) {
  const endingWithin = (ms: number) => ({ after: now, until: now + ms + CLOCKS_APART_MS });
  return { granted: endingWithin(GRANT_MS), connected: silence.meansGone() ? endingWithin(SILENCE_MS) : ALL };
}

/** The channels of a batch, its connections, and which seats are counted. */
export interface SeatsToCount extends ReturnType<typeof countingSeats> {
  readonly channels: readonly ChannelSince[];
  readonly askers: readonly string[];
}

/** Who has a seat in which channel, kept in the database: only one of several processes may grant the last one. */
export abstract class Seats {
  protected readonly storage: Storage;
  protected readonly now: () => number;
  protected readonly silence: Silence;

  constructor(storage: Storage, clocks: Clocks) {
    this.storage = storage;
    this.now = clocks.now;
    this.silence = new Silence(clocks);
  }

  /** Decides on a batch in order, and grants a seat to each admitted client. */
  decide(attempts: readonly SeatAttempt[]): Promise<Admission[]> {
    const now = this.now();
    const counting = countingSeats(now, this.silence);
    const byKey = channelsOf(attempts);
    const [keys, channels] = [[...byKey.keys()], [...byKey.values()]];
    const askers = attempts.map(({ connectionId }) => connectionId);
    return this.storage.query.transaction().execute(async (transaction) => {
      await this.lock(transaction, channels);
      const counted = await this.count(transaction, { channels, askers, ...counting });
      const seats = new Map(
        counted.map(({ holders, ...counts }, at) => [keys[at], { ...counts, holders: new Set(holders) }]),
      );
      const admissions = attempts.map((attempt) => decideOne(attempt, seats.get(keyOf(attempt))));
      const admitted = attempts.filter((_, at) => admissions[at]?.allowed);
      if (admitted.length > 0) await this.grant(transaction, admitted, now + GRANT_MS);
      return admissions;
    });
  }

  async release({ projectId, channelId, connectionId }: Seat): Promise<void> {
    await this.storage.query
      .deleteFrom("seat")
      .where("project_id", "=", projectId)
      .where("channel_id", "=", channelId)
      .where("connection_id", "=", connectionId)
      .where("connected", "=", 0)
      .execute();
  }

  /** The seats of a connection of which only the id is known, and who holds them. */
  async ofConnection(connectionId: string) {
    const rows = await this.storage.query
      .selectFrom("seat")
      .select(["project_id", "channel_id", "client_id", "role"])
      .where("connection_id", "=", connectionId)
      .execute();
    return rows.map(({ project_id, channel_id, client_id, role }) => ({
      projectId: project_id,
      channelId: channel_id,
      connectionId,
      client: { client_id: client_id ?? undefined, role: role ?? undefined },
    }));
  }

  /** Creates the storage for ends of the coming days. */
  async prepare(): Promise<void> {}

  /** Creates the storage for the coming days, and deletes what has expired before a time, in small steps. */
  abstract sweep(time: number, signal: AbortSignal): Promise<void>;

  /** Keeps other transactions from changing the seats of these channels until this one ends. */
  protected abstract lock(transaction: Kysely<Tables>, channels: readonly ChannelSince[]): Promise<void>;

  /** Counts in the database, as a channel may have thousands of seats. Returns the channels in the same order. */
  protected abstract count(transaction: Kysely<Tables>, question: SeatsToCount): Promise<readonly CountedSeats[]>;

  protected abstract grant(transaction: Kysely<Tables>, admitted: readonly SeatAttempt[], until: number): Promise<void>;
}

const keyOf = ({ projectId, channelId }: SeatAttempt): string => `${projectId} ${channelId}`;

/** The channels of a batch by their keys, each with its earliest attempt. */
function channelsOf(attempts: readonly SeatAttempt[]): Map<string, ChannelSince> {
  const channels = new Map<string, ChannelSince>();
  for (const attempt of attempts) {
    const key = keyOf(attempt);
    const [, , before = NEVER] = channels.get(key) ?? [];
    const since = attempt.at !== "" && attempt.at < before ? attempt.at : before;
    channels.set(key, [attempt.projectId, attempt.channelId, since]);
  }
  return channels;
}

/** Decides on one attempt. An admitted client has its seat, in `seats`, before the next attempt is decided. */
function decideOne(
  attempt: SeatAttempt,
  seats: { own: number; recent: readonly string[]; granted: number; holders: Set<string> } | undefined,
): Admission {
  if (!seats) throw new Error("The seats of a channel in the batch were not counted.");
  const { projectId, claims, channelId, connectionId, role, at, reported } = attempt;
  // A client that requests admission again keeps its seat.
  const granted = seats.granted - (seats.holders.has(connectionId) ? 1 : 0);
  const later = at === "" ? 0 : seats.recent.filter((madeAt) => madeAt > at).length;
  const connections = connectionsNow({ reported, own: seats.own, later, granted });
  const asked = { channel_id: channelId, role, channel_connections: connections };
  const admission = decideAdmission(claims, asked, { project_id: projectId });
  if (admission.allowed) {
    seats.granted = granted + 1;
    seats.holders.add(connectionId);
  }
  return admission;
}

/** How many connections a channel has or is about to have; `later` of `own` were made after the client's request. */
export function connectionsNow({
  reported,
  own,
  later,
  granted,
}: Pick<SeatAttempt, "reported"> & Record<"own" | "later" | "granted", number>): number {
  if (reported === undefined) return own + granted;
  return Math.max(reported, Math.min(own, reported + later)) + granted;
}

// The media server reports every connection once a minute; this leaves room for one lost report.
const HEARD_WITHIN_MS = 3 * 60_000;
// NTP corrects clocks by less than this all the time.
const STEP_MS = 60_000;

/** Whether a connection's silence proves that it is gone: not just after a start, nor after the clock was set. */
export class Silence {
  readonly #clocks: Clocks;
  readonly #clockSteps: ClockSteps;
  #listeningSince: number;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#clockSteps = new ClockSteps(clocks);
    this.#listeningSince = clocks.elapsed();
  }

  /** Whether every live connection would have been reported by now. */
  meansGone(): boolean {
    const elapsed = this.#clocks.elapsed();
    if (Math.abs(this.#clockSteps.sinceLastCall()) > STEP_MS) this.#listeningSince = elapsed;
    return elapsed - this.#listeningSince >= HEARD_WITHIN_MS;
  }
}

/** Prefixes the id of an ended connection or session in the table `ended`: the two may have the same id. */
export const endedPrefix = { connection: "c ", session: "s " } as const;

/** How long an end is remembered: longer than entries are listed, and than events are delayed. */
export const ENDED_MS: number = 31 * 24 * 60 * 60 * 1000;
