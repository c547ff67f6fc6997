/** A JSON object of which only some members matter. */
export type Json = { readonly [name: string]: unknown };

/** What a client may do in a channel. */
export type Role = "sendrecv" | "sendonly" | "recvonly";

/** Options of `startFakeMedia`. */
export interface FakeMediaOptions {
  /** The URL of the intake: it posts to `/auth`, `/session` and `/event` below. */
  intakeUrl: string;
  /** The secret that the intake wants to see. */
  intakeKey: string;
  /** The place of the secret: `Authorization: Bearer …`, or `<intakeUrl>/<key>/auth`. @default "header" */
  keyIn?: "header" | "path";
  /** The same seed gives the same ids, bytes and mishaps. @default 1 */
  seed?: number;
  /** The present, in milliseconds since 1970. Virtual time begins with it. @default Date.now */
  now?: () => number;
  /**
   * `virtual`: time passes only in `pass`, which leaps from one thing to do to the next, and requests go one by one: the
   * same seed then gives the same bytes altogether.
   * @default "real"
   */
  time?: "real" | "virtual";
  /** @default "fake-media@127.0.0.1" */
  nodeName?: string;
  /** The token of clients that bring none. @default none */
  accessToken?: (channelId: string, role: Role) => string | undefined;
  /** Whether auth says how many are in the channel: `channel_connections` and its three parts. @default true */
  reportsConnections?: boolean;
  /** How long after its last connection a session ends. @default 0 */
  sessionEndsAfterMs?: number;
  /** @default none */
  misbehaviour?: Misbehaviour;
  /** How many requests are under way at a time; always 1 in virtual time. @default 64 */
  sockets?: number;
  /** How long an answer may take. @default 10000 */
  timeoutMs?: number;
  /** Whether `sent` and `apiCalls` keep what they are about; off for what runs long. @default true */
  keepsRecords?: boolean;
  /** The port of its own API, on 127.0.0.1; 0 is any free one. @default 0 */
  apiPort?: number;
}

/** A client that wants to connect. */
export interface ConnectOptions {
  /** `<channel_name>@<project_id>`. */
  channelId: string;
  /** @default "sendrecv" */
  role?: Role;
  /** Goes into the metadata. @default what the option `accessToken` of the media server gives */
  accessToken?: string;
  /** @default none: events then bear the connection id */
  clientId?: string;
  /** @default none: events then bear the connection id */
  bundleId?: string;
  /** @default none */
  metadata?: unknown;
}

/** A connection that could not be made; its event has only what is given. */
export type FailOptions = Pick<Partial<ConnectOptions>, "channelId" | "clientId">;

/** Which shares of the events go wrong on their way, each from 0 to 1. What an event says stays as it is. */
export interface Misbehaviour {
  /** Sent again with the same bytes: half of them at once, the others later. @default 0 */
  twice?: number;
  /** Held back for a time of up to `lateMs`; later events do not wait for it. @default 0 */
  late?: number;
  /**
   * Changes places with the next event of its connection; a session's last `connection.destroyed` does so with
   * `session.destroyed`.
   * @default 0
   */
  outOfOrder?: number;
  /** The longest time that an event is held back. @default 2000 */
  lateMs?: number;
}

/** @throws {RangeError} if a share is not from 0 to 1. */
export function checkMisbehaviour(misbehaviour: Misbehaviour): void {
  for (const [name, value] of Object.entries(misbehaviour)) {
    const isRight = name === "lateMs" ? value >= 0 : value >= 0 && value <= 1;
    if (isRight) continue;
    throw new RangeError(`misbehaviour.${name} is ${value}; it must be ${name === "lateMs" ? "0 or more" : "0 to 1"}.`);
  }
}
