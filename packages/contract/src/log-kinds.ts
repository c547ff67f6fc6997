import type {
  ApiLogEntry,
  ConnectionLogEntry,
  EventLogEntry,
  EventReason,
  MediaApiLogEntry,
  SessionLogEntry,
  WebhookLogEntry,
} from "./generated/api.js";
import type { LogKind } from "./log-paths.js";

/** What a field holds, which decides how it is compared, typed and shown. Each value is a number, a text or a time. */
export type FieldContent =
  | "time"
  | "status"
  | "milliseconds"
  | "minutes"
  | "bytes"
  | "count"
  | "channel"
  | "id"
  | "address"
  | "outcome"
  | "reason"
  | "text";

/** A field of a kind of log. */
export interface LogField {
  readonly holds: FieldContent;
  /** The heading of its column. */
  readonly title: string;
  /** The name that people type in a filter. */
  readonly name: string;
  /** Other names that people type; the name on the wire is always one. */
  readonly words?: readonly string[];
  /** What it is, in one sentence. */
  readonly about: string;
  /** Values that people filter by, with their meanings, if they say more than those of its content. */
  readonly examples?: readonly (readonly [value: string, meaning: string])[];
  /** The operator that people mostly use. @default ">" for numbers, ">=" for times, ":" for texts */
  readonly operator?: ":" | "~";
  /** Whether entries are found by its exact value through the index of ids. */
  readonly isId?: true;
  /** Whether no entry has it: conditions on it read other fields. */
  readonly isDerived?: true;
  /** Whether it says little about the log: a filter by it alone probably means another log that has it. */
  readonly isMinor?: true;
}

/** Where the column of a field is shown. An optional one is only in details and CSV, if an entry has the field. */
export type ColumnPlace = "table" | "wide" | "detail" | "optional";

/** A kind of log. */
export interface LogKindSpec<Field extends string = string> {
  /** The name as a heading. */
  readonly title: string;
  /** One entry, within a sentence. */
  readonly one: string;
  /** Several entries, within a sentence. */
  readonly many: string;
  /** What its entries are about. */
  readonly about: string;
  /** Other names that people type. */
  readonly words: readonly string[];
  /**
   * Its fields, by their names on the wire. `timestamp` is the first, and new fields are appended: the service's segments
   * store their columns in this order.
   */
  readonly fields: { readonly [Name in Field]: LogField } & Readonly<Record<string, LogField>>;
  /** The order in which filters are offered. @default that of the fields */
  readonly filters?: readonly Field[];
  /** The fields that are shown, by place and in order. */
  readonly columns: { readonly [Place in ColumnPlace]?: readonly Field[] };
}

interface Entries {
  sessions: SessionLogEntry;
  connections: ConnectionLogEntry;
  api: ApiLogEntry;
  "media-api": MediaApiLogEntry;
  webhooks: WebhookLogEntry;
  events: EventLogEntry;
}

/** An entry of a kind of log. */
export type LogEntryOf<K extends LogKind> = Entries[K];

const at = (about: string) => ({ holds: "time", title: "Time", name: "time", words: ["at", "date"], about }) as const;
const channel = (about: string, more: Partial<LogField> = {}): LogField => ({
  holds: "channel",
  title: "Channel",
  name: "channel",
  words: ["room"],
  about,
  examples: [
    ["lobby", "the channel's name"],
    ["lobby*", "names that start with lobby"],
  ],
  isId: true,
  ...more,
});
const id = (title: string, about: string, more: Partial<LogField> = {}): LogField => ({
  holds: "id",
  title,
  name: title.toLowerCase(),
  about,
  isId: true,
  ...more,
});
const eventId: LogField = {
  holds: "id",
  title: "Event id",
  name: "event-id",
  about: "The id of the media server's event.",
};
const lifetime = (what: string) =>
  ({
    created_timestamp: {
      holds: "time",
      title: "Created",
      name: "created",
      words: ["started"],
      about: `When the ${what} began.`,
    },
    destroyed_timestamp: {
      holds: "time",
      title: "Ended",
      name: "destroyed",
      words: ["ended"],
      about: `When the ${what} ended.`,
    },
    duration_min: {
      holds: "minutes",
      title: "Duration",
      name: "duration",
      about: "The duration in whole minutes; a plain number is minutes.",
    },
  }) as const satisfies Readonly<Record<string, LogField>>;
const status = (about: string): LogField => ({
  holds: "status",
  title: "Status",
  name: "status",
  words: ["code"],
  about,
  operator: ":",
});
const elapsed = (what: string): LogField => ({
  holds: "milliseconds",
  title: "Took",
  name: "elapsed",
  words: ["took", "latency"],
  about: `How long the ${what} took; a plain number is milliseconds.`,
});

/** Every kind of log, in the order in which they are offered. The types require each field of the contract. */
export const logKinds: { readonly [K in LogKind]: LogKindSpec<keyof LogEntryOf<K> & string> } = {
  sessions: {
    title: "Session log",
    one: "session",
    many: "sessions",
    about: "channel sessions that have ended",
    words: ["session", "sess"],
    fields: {
      timestamp: at("When the entry was written."),
      channel_id: channel("The session's channel: its name or full id."),
      session_id: id("Session", "The session's id, in full or shortened."),
      total_connections: {
        holds: "count",
        title: "Connections",
        name: "total",
        words: ["connections"],
        about: "The number of connections in total.",
      },
      max_connections: {
        holds: "count",
        title: "Peak",
        name: "peak",
        words: ["max"],
        about: "The highest number of connections at once.",
      },
      ...lifetime("session"),
    },
    columns: {
      table: ["timestamp", "channel_id", "total_connections", "max_connections", "duration_min", "session_id"],
      detail: ["created_timestamp", "destroyed_timestamp"],
    },
  },
  connections: {
    title: "Connection log",
    one: "connection",
    many: "connections",
    about: "client connections that have ended",
    words: ["connection", "conn", "conns"],
    fields: {
      timestamp: at("When the entry was written."),
      channel_id: channel("The connection's channel: its name or full id."),
      session_id: id("Session", "The connection's session."),
      client_id: id("Client", "The id that the client chose for itself."),
      bundle_id: id("Bundle", "The id that the client chose for its bundle."),
      connection_id: id("Connection", "The connection's id, in full or shortened."),
      total_received_bytes: { holds: "bytes", title: "Received", name: "received", about: "The volume received." },
      total_sent_bytes: { holds: "bytes", title: "Sent", name: "sent", about: "The volume sent." },
      total_bytes: {
        holds: "bytes",
        title: "Bytes",
        name: "bytes",
        words: ["volume"],
        about: "The volume received and sent together.",
        isDerived: true,
      },
      ...lifetime("connection"),
    },
    columns: {
      table: ["timestamp", "channel_id", "client_id", "total_received_bytes", "total_sent_bytes", "duration_min"],
      wide: ["connection_id", "session_id"],
      detail: ["bundle_id", "created_timestamp", "destroyed_timestamp"],
    },
  },
  api: {
    title: "API log",
    one: "API call",
    many: "API calls",
    about: "calls of this service's API",
    words: ["apis"],
    fields: {
      timestamp: at("When the call was received."),
      url: {
        holds: "address",
        title: "Address",
        name: "url",
        about: "The address that was called.",
        operator: "~",
        examples: [
          ["create-access-token", "calls that create tokens"],
          ["list-", "calls that list logs"],
        ],
      },
      status: status("The HTTP status of the answer."),
      elapsed_time_ms: elapsed("call"),
      from: {
        holds: "text",
        title: "Program",
        name: "from",
        about: "The program that made the call, such as bot or cli, if it named itself.",
        examples: [
          ["bot", "calls of the Slack bot"],
          ["*", "calls of any program that named itself"],
        ],
        isDerived: true,
      },
      count: {
        holds: "count",
        title: "Calls",
        name: "calls",
        about: "The number of refused calls in the entry; absent for a single call.",
      },
    },
    columns: { table: ["timestamp", "status", "elapsed_time_ms", "url"], optional: ["count"] },
  },
  "media-api": {
    title: "Media API log",
    one: "media API call",
    many: "media API calls",
    about: "calls of the media server's API",
    words: ["mediaapi", "media-apis"],
    fields: {
      timestamp: at("When the call was forwarded."),
      media_target: {
        holds: "text",
        title: "Operation",
        name: "target",
        words: ["operation"],
        about: "The operation that was called: Media_<date>.<name>.",
        operator: "~",
        examples: [["DisconnectChannel", "part of its name"]],
      },
      channel_id: channel("The channel of the call: its name or full id."),
      status: status("The HTTP status of the answer."),
      elapsed_time_ms: elapsed("call"),
    },
    columns: { table: ["timestamp", "status", "elapsed_time_ms", "media_target", "channel_id"] },
  },
  webhooks: {
    title: "Webhook log",
    one: "webhook",
    many: "webhooks",
    about: "webhook deliveries, one entry per attempt",
    words: ["webhook", "hook", "hooks"],
    fields: {
      timestamp: at("When the delivery was attempted."),
      type: {
        holds: "text",
        title: "Event",
        name: "type",
        words: ["event"],
        about: "The webhook's event: <object>.<action>.",
        examples: [
          ["session.created", "a session began"],
          ["connection.created", "a client connected"],
          ["session.*", "all events of sessions"],
          ["connection.*", "all events of connections"],
        ],
      },
      url: {
        holds: "address",
        title: "Sent to",
        name: "url",
        about: "The receiver's address.",
        operator: "~",
        examples: [["hooks", "part of the address"]],
      },
      status: status("The HTTP status of the receiver's answer; 0 if there was none."),
      elapsed_time_ms: elapsed("receiver"),
      channel_id: channel("The channel that it is about, if any: its name or full id.", { isMinor: true }),
      connection_id: id("Connection", "The connection that it is about, if any.", { isMinor: true }),
      event_id: eventId,
    },
    columns: {
      table: ["timestamp", "status", "elapsed_time_ms", "type", "url"],
      optional: ["channel_id", "connection_id", "event_id"],
    },
  },
  events: {
    title: "Event log",
    one: "event",
    many: "events",
    about: "events of sessions and connections, and refused clients, with outcomes and reasons",
    words: ["event", "ev"],
    fields: {
      timestamp: at("When it happened."),
      type: {
        holds: "text",
        title: "Event",
        name: "type",
        words: ["event"],
        about: "The event: <object>.<action>.",
        examples: [
          ["connection.failed", "a connection could not be made, or broke"],
          ["admission.refused", "a client was refused"],
          ["connection.created", "a client connected"],
          ["connection.*", "all events of connections"],
          ["session.*", "all events of sessions"],
        ],
      },
      channel_id: channel("The channel: its name or full id."),
      session_id: id("Session", "The session's id, in full or shortened."),
      connection_id: id("Connection", "The connection's id, in full or shortened."),
      client_id: id("Client", "The id that the client chose for itself."),
      bundle_id: id("Bundle", "The id that the client chose for its bundle."),
      role: {
        holds: "text",
        title: "Role",
        name: "role",
        about: "The connection's role.",
        examples: [
          ["recvonly", "only receives"],
          ["sendonly", "only sends"],
          ["sendrecv", "sends and receives"],
        ],
      },
      node_name: { holds: "text", title: "Node", name: "node", about: "The media server's node." },
      outcome: {
        holds: "outcome",
        title: "Outcome",
        name: "outcome",
        about: "How it ended; the word failed finds both refused and failed.",
      },
      reason: { holds: "reason", title: "Reason", name: "reason", about: "Why it was refused, failed or ended." },
      media_reason: {
        holds: "text",
        title: "Reported as",
        name: "media-reason",
        about: "The media server's own word for the reason.",
        examples: [["ICE-TIMEOUT", "no network path was found in time"]],
      },
      detail: {
        holds: "text",
        title: "Detail",
        name: "detail",
        about: "What the reason leaves open, such as 5 of 5.",
        operator: "~",
      },
      jwt_id: id("Token id", "The id (jti) of the client's token.", { name: "token", words: ["jti"] }),
      key_id: { holds: "id", title: "Key id", name: "key", about: "The id of the API key that signed the token." },
      elapsed_time_ms: {
        holds: "milliseconds",
        title: "Existed for",
        name: "after",
        words: ["elapsed"],
        about: "How long the session or connection had existed; a plain number is milliseconds.",
      },
      count: {
        holds: "count",
        title: "Times",
        name: "count",
        about: "The number of refusals in the entry; absent for a single one.",
      },
      event_id: eventId,
    },
    filters: [
      ...(["timestamp", "type", "outcome", "reason", "channel_id", "client_id", "connection_id"] as const),
      ...(["session_id", "bundle_id", "node_name", "role", "media_reason", "detail", "jwt_id", "key_id"] as const),
      ...(["elapsed_time_ms", "count", "event_id"] as const),
    ],
    columns: {
      table: ["timestamp", "outcome", "type", "channel_id", "client_id"],
      wide: ["connection_id", "node_name", "role"],
      detail: ["session_id"],
      optional: [
        ...(["bundle_id", "reason", "media_reason", "detail", "elapsed_time_ms", "count"] as const),
        ...(["jwt_id", "key_id", "event_id"] as const),
      ],
    },
  },
};

const numbers: readonly FieldContent[] = ["status", "milliseconds", "minutes", "bytes", "count"];

/** How values are compared: times with all of their digits. */
export function typeOf(holds: FieldContent): "time" | "number" | "text" {
  if (holds === "time") return "time";
  return numbers.includes(holds) ? "number" : "text";
}

/** A reason in words. */
export interface ReasonSpec {
  /** In a line: "ICE timeout". */
  readonly words: string;
  /** In a sentence: "no network path was found in time". */
  readonly about: string;
  /** Whether clients are refused for it; the others are those of connections that were made. */
  readonly isRefusal?: true;
}

/** Every reason, those of connections first. */
export const reasons: { readonly [Reason in EventReason]: ReasonSpec } = {
  "ice-timeout": { words: "ICE timeout", about: "no network path was found in time" },
  "ice-failed": { words: "ICE failed", about: "no network path was found, or it broke" },
  "dtls-failed": { words: "DTLS failed", about: "the encryption could not be set up" },
  "signaling-lost": { words: "signaling lost", about: "the signaling connection broke" },
  timeout: { words: "timeout", about: "the client no longer answered" },
  "lifetime-expired": { words: "lifetime expired", about: "the connection had reached its longest duration" },
  "disconnected-by-api": { words: "disconnected by the API", about: "a call of the media server's API ended it" },
  "node-gone": { words: "node died", about: "the media server's node died" },
  "channel-full": {
    words: "channel full",
    about: "the channel had as many connections as the token allows",
    isRefusal: true,
  },
  "limit-0": { words: "token allows no connections", about: "the token allows no connection", isRefusal: true },
  expired: { words: "token expired", about: "the token had expired", isRefusal: true },
  "not-yet-valid": { words: "token not yet valid", about: "the token was not valid yet", isRefusal: true },
  "no-token": { words: "no token", about: "the client sent no token", isRefusal: true },
  malformed: { words: "malformed token", about: "the token could not be read", isRefusal: true },
  "bad-signature": { words: "token with a bad signature", about: "the token's signature is wrong", isRefusal: true },
  "unknown-key": {
    words: "token of an unknown key",
    about: "the token names a key that does not exist",
    isRefusal: true,
  },
  "revoked-key": {
    words: "token of a revoked key",
    about: "the token was signed with a revoked key",
    isRefusal: true,
  },
  revoked: { words: "token revoked", about: "the token was revoked", isRefusal: true },
  "wrong-channel": { words: "token for another channel", about: "the token is for another channel", isRefusal: true },
  "wrong-role": { words: "token for another role", about: "the token is for another role", isRefusal: true },
  "own-address": {
    words: "denied by the project's webhook",
    about: "the project's own auth address refused the client",
    isRefusal: true,
  },
  "unknown-project": {
    words: "unknown project",
    about: "the channel belongs to no project, and the token to this one",
    isRefusal: true,
  },
  other: { words: "another reason", about: "the media server gave a reason of its own" },
};
