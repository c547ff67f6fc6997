import type { Admission, TokenClaims } from "@media-ops/tokens";

/** Sorts behind every time. */
export const NEVER = "~";

/** Not every sign of life of a connection is worth a write: only one that is so much newer than the last. */
export const NEWER_BY_MS: number = 10 * 60 * 1000;

/** A seat that lasts longer than a seat can last, by more than this, was given by a clock that was ahead. */
export const CLOCKS_APART_MS: number = 30_000;

/** A client with a good token that asks for a place in a channel. */
export interface SeatAttempt {
  readonly projectId: string;
  readonly claims: TokenClaims;
  readonly channelId: string;
  readonly connectionId: string;
  readonly role: string;
  readonly nodeName: string;
  /** When it asked, as a text that sorts; empty where that is not known. */
  readonly at: string;
  /** How many connections the media server says there are. */
  readonly reported: number | undefined;
}

/** What an event says of the places in a channel. */
export type SeatChange =
  | {
      readonly kind: "connected";
      readonly projectId: string;
      readonly channelId: string;
      readonly connectionId: string;
      readonly nodeName: string;
      readonly sessionId: string | null;
      readonly at: string;
    }
  | {
      readonly kind: "ended";
      readonly projectId: string;
      readonly channelId: string;
      readonly connectionId: string;
      readonly eventId: string;
    }
  | {
      readonly kind: "session-ended";
      readonly projectId: string;
      readonly channelId: string;
      readonly sessionId: string;
      readonly eventId: string;
      /** When the session began, and when it ended. */
      readonly since: string;
      readonly at: string;
    }
  | NodeGone;

/** A node has vanished, and with it all connections that were made on it until then. */
export interface NodeGone {
  readonly kind: "node-gone";
  readonly nodeName: string;
  readonly eventId: string;
  readonly at: string;
}

/** A place, by whose it is. */
export interface Seat {
  readonly projectId: string;
  readonly channelId: string;
  readonly connectionId: string;
}

/** Who has a place in which channel. Kept in the database: several processes decide, and only one may give the last. */
export interface Seats {
  /** Decides about many who ask at once, one after another, and gives a place to each who is let in. */
  decide(attempts: readonly SeatAttempt[]): Promise<Admission[]>;
  /** Takes a place back that was given and is not needed. */
  release(seat: Seat): Promise<void>;
  /** The places of a connection of which no more is known than its id. */
  ofConnection(connectionId: string): Promise<Seat[]>;
  /**
   * Makes room for the days to come, and forgets what has lapsed at a time, a little at a time.
   *
   * @param time In ms since 1970; undefined if nothing may be deleted.
   */
  sweep(time: number | undefined, signal: AbortSignal): Promise<void>;
}

/** The key of an ended connection or session in the table `ended`: the two may have the same id. */
export const endedKey = (kind: "connection" | "session", id: string): string => `${kind[0]} ${id}`;

/** For how long an end is remembered: longer than entries are listed, and than events are delayed. */
export const ENDED_MS: number = 31 * 24 * 60 * 60 * 1000;
