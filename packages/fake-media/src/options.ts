/** A JSON object of which only some members matter. */
export type Json = { readonly [name: string]: unknown };

/** A client's role in a channel. */
export type Role = "sendrecv" | "sendonly" | "recvonly";

/** Options of `startFakeMedia`. */
export interface FakeMediaOptions {
  /** The URL of the intake; requests go to its `/auth`, `/session` and `/event`. */
  intakeUrl: string;
  /** The secret for the intake. */
  intakeKey: string;
  /** The location of the secret: `Authorization: Bearer …`, or `<intakeUrl>/<key>/auth`. @default "header" */
  keyIn?: "header" | "path";
  /** The same seed produces the same ids, bytes and mishaps. @default 1 */
  seed?: number;
  /** The current time, in milliseconds since 1970. Virtual time starts with it. @default Date.now */
  now?: () => number;
  /**
   * `virtual`: time passes only in `pass`, which jumps from one action to the next, and requests run one at a time: the
   * same seed then produces identical bytes overall.
   * @default "real"
   */
  time?: "real" | "virtual";
  /** The node of clients without their own, and of events that concern no client. @default "fake-media@127.0.0.1" */
  nodeName?: string;
  /** The token of clients without their own. @default none */
  accessToken?: (channelId: string, role: Role) => string | undefined;
  /** Whether auth reports the connections of the channel: `channel_connections` and its three parts. @default true */
  reportsConnections?: boolean;
  /** How long after its last connection a session ends. @default 0 */
  sessionEndsAfterMs?: number;
  /** @default none */
  misbehaviour?: Misbehaviour;
  /** The maximum number of concurrent requests; always 1 in virtual time. @default 64 */
  sockets?: number;
  /** The timeout of a response. @default 10000 */
  timeoutMs?: number;
  /** Whether `sent` keeps records; off for long runs. @default true */
  keepsRecords?: boolean;
  /** The port of its API, on 127.0.0.1; 0 for any free port. @default 0 */
  apiPort?: number;
}

const noMisbehaviour: Misbehaviour = {};

export const defaults = {
  keyIn: "header",
  seed: 1,
  now: Date.now,
  time: "real",
  nodeName: "fake-media@127.0.0.1",
  reportsConnections: true,
  sessionEndsAfterMs: 0,
  misbehaviour: noMisbehaviour,
  sockets: 64,
  timeoutMs: 10_000,
  keepsRecords: true,
  apiPort: 0,
} as const satisfies Partial<FakeMediaOptions>;

/** The options with their defaults. */
export type Settings = FakeMediaOptions & Required<Pick<FakeMediaOptions, keyof typeof defaults>>;

/** Options of a client that connects. */
export interface ConnectOptions {
  /** `<channel_name>@<project_id>`. */
  channelId: string;
  /** @default "sendrecv" */
  role?: Role;
  /** Sent in the metadata. @default the result of the media server's option `accessToken` */
  accessToken?: string;
  /** @default none: events then have the connection id */
  clientId?: string;
  /** @default none: events then have the connection id */
  bundleId?: string;
  /** @default none */
  metadata?: unknown;
  /** The node to which it connects; a session is on the node of its first client. @default that of the media server */
  nodeName?: string;
  /**
   * From what the client's connection id and settings follow, beside the seed: they are then the same, whatever other
   * clients there are. Each may be used once.
   * @default the number of the client
   */
  idFrom?: string;
}

/** A connection that could not be established; its event has only these fields. */
export type FailOptions = Pick<Partial<ConnectOptions>, "channelId" | "clientId">;

/** The shares of events that misbehave, each from 0 to 1. The content of an event never changes. */
export interface Misbehaviour {
  /** Sent again with the same bytes: half of them at once, the others later. @default 0 */
  twice?: number;
  /** Delayed by up to `lateMs`; later events do not wait for it. @default 0 */
  late?: number;
  /**
   * Swapped with the next event of its connection; a session's last `connection.destroyed` is swapped with
   * `session.destroyed`.
   * @default 0
   */
  outOfOrder?: number;
  /** The maximum delay of an event. @default 2000 */
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
