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
  /** The fields by which entries are grouped to tell what they have in common. */
  readonly groups: readonly Field[];
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

const field = (
  holds: FieldContent,
  title: string,
  name: string,
  about: string,
  more: Partial<LogField> = {},
): LogField => ({ holds, title, name, about, ...more });

const at = (about: string) => field("time", "Time", "time", about, { words: ["at", "date"] });
const channel = (about: string, more: Partial<LogField> = {}) =>
  field("channel", "Channel", "channel", about, {
    words: ["room"],
    examples: [
      ["lobby", "the channel's name"],
      ["lobby*", "names that start with lobby"],
    ],
    isId: true,
    ...more,
  });
const id = (title: string, about: string, more: Partial<LogField> = {}) =>
  field("id", title, title.toLowerCase(), about, { isId: true, ...more });
const eventId = field("id", "Event id", "event-id", "The id of the media server's event.");
const lifetime = (what: string) => ({
  created_timestamp: field("time", "Created", "created", `When the ${what} began.`, { words: ["started"] }),
  destroyed_timestamp: field("time", "Ended", "destroyed", `When the ${what} ended.`, { words: ["ended"] }),
  duration_min: field("minutes", "Duration", "duration", "The duration in whole minutes; a plain number is minutes."),
});
const status = (about: string) => field("status", "Status", "status", about, { words: ["code"], operator: ":" });
const elapsed = (what: string) =>
  field("milliseconds", "Took", "elapsed", `How long the ${what} took; a plain number is milliseconds.`, {
    words: ["took", "latency"],
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
      total_connections: field("count", "Connections", "total", "The number of connections in total.", {
        words: ["connections"],
      }),
      max_connections: field("count", "Peak", "peak", "The highest number of connections at once.", { words: ["max"] }),
      ...lifetime("session"),
    },
    groups: ["channel_id"],
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
      total_received_bytes: field("bytes", "Received", "received", "The volume received."),
      total_sent_bytes: field("bytes", "Sent", "sent", "The volume sent."),
      total_bytes: field("bytes", "Bytes", "bytes", "The volume received and sent together.", {
        words: ["volume"],
        isDerived: true,
      }),
      ...lifetime("connection"),
    },
    groups: ["channel_id", "client_id"],
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
      url: field("address", "Address", "url", "The address that was called.", {
        operator: "~",
        examples: [
          ["create-access-token", "calls that create tokens"],
          ["list-", "calls that list logs"],
        ],
      }),
      status: status("The HTTP status of the answer."),
      elapsed_time_ms: elapsed("call"),
      from: field(
        "text",
        "Program",
        "from",
        "The program that made the call, such as bot or cli, if it named itself.",
        {
          examples: [
            ["bot", "calls of the Slack bot"],
            ["*", "calls of any program that named itself"],
          ],
          isDerived: true,
        },
      ),
      count: field("count", "Calls", "calls", "The number of refused calls in the entry; absent for a single call."),
    },
    groups: ["status", "url"],
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
      media_target: field("text", "Operation", "target", "The operation that was called: Media_<date>.<name>.", {
        words: ["operation"],
        operator: "~",
        examples: [["DisconnectChannel", "part of its name"]],
      }),
      channel_id: channel("The channel of the call: its name or full id."),
      status: status("The HTTP status of the answer."),
      elapsed_time_ms: elapsed("call"),
    },
    groups: ["status", "media_target", "channel_id"],
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
      type: field("text", "Event", "type", "The webhook's event: <object>.<action>.", {
        words: ["event"],
        examples: [
          ["session.created", "a session began"],
          ["connection.created", "a client connected"],
          ["session.*", "all events of sessions"],
          ["connection.*", "all events of connections"],
        ],
      }),
      url: field("address", "Sent to", "url", "The receiver's address.", {
        operator: "~",
        examples: [["hooks", "part of the address"]],
      }),
      status: status("The HTTP status of the receiver's answer; 0 if there was none."),
      elapsed_time_ms: elapsed("receiver"),
      channel_id: channel("The channel that it is about, if any: its name or full id.", { isMinor: true }),
      connection_id: id("Connection", "The connection that it is about, if any.", { isMinor: true }),
      event_id: eventId,
    },
    groups: ["status", "url", "type"],
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
      type: field("text", "Event", "type", "The event: <object>.<action>.", {
        words: ["event"],
        examples: [
          ["connection.failed", "a connection could not be made, or broke"],
          ["admission.refused", "a client was refused"],
          ["connection.created", "a client connected"],
          ["connection.*", "all events of connections"],
          ["session.*", "all events of sessions"],
        ],
      }),
      channel_id: channel("The channel: its name or full id."),
      session_id: id("Session", "The session's id, in full or shortened."),
      connection_id: id("Connection", "The connection's id, in full or shortened."),
      client_id: id("Client", "The id that the client chose for itself."),
      bundle_id: id("Bundle", "The id that the client chose for its bundle."),
      role: field("text", "Role", "role", "The connection's role.", {
        examples: [
          ["recvonly", "only receives"],
          ["sendonly", "only sends"],
          ["sendrecv", "sends and receives"],
        ],
      }),
      node_name: field("text", "Node", "node", "The media server's node."),
      outcome: field("outcome", "Outcome", "outcome", "How it ended; the word failed finds both refused and failed."),
      reason: field("reason", "Reason", "reason", "Why it was refused, failed or ended."),
      media_reason: field("text", "Reported as", "media-reason", "The media server's own word for the reason.", {
        examples: [["ICE-TIMEOUT", "no network path was found in time"]],
      }),
      detail: field("text", "Detail", "detail", "What the reason leaves open, such as 5 of 5.", { operator: "~" }),
      jwt_id: id("Token id", "The id (jti) of the client's token.", { name: "token", words: ["jti"] }),
      key_id: field("id", "Key id", "key", "The id of the API key that signed the token."),
      elapsed_time_ms: field(
        "milliseconds",
        "Existed for",
        "after",
        "How long the session or connection had existed; a plain number is milliseconds.",
        { words: ["elapsed"] },
      ),
      count: field("count", "Times", "count", "The number of refusals in the entry; absent for a single one."),
      event_id: eventId,
    },
    filters: [
      ...(["timestamp", "type", "outcome", "reason", "channel_id", "client_id", "connection_id"] as const),
      ...(["session_id", "bundle_id", "node_name", "role", "media_reason", "detail", "jwt_id", "key_id"] as const),
      ...(["elapsed_time_ms", "count", "event_id"] as const),
    ],
    groups: ["reason", "client_id", "node_name", "channel_id"],
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

const refusal = (words: string, about: string): ReasonSpec => ({ words, about, isRefusal: true });

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
  "channel-full": refusal("channel full", "the channel had as many connections as the token allows"),
  "limit-0": refusal("token allows no connections", "the token allows no connection"),
  expired: refusal("token expired", "the token had expired"),
  "not-yet-valid": refusal("token not yet valid", "the token was not valid yet"),
  "no-token": refusal("no token", "the client sent no token"),
  malformed: refusal("malformed token", "the token could not be read"),
  "bad-signature": refusal("token with a bad signature", "the token's signature is wrong"),
  "unknown-key": refusal("token of an unknown key", "the token names a key that does not exist"),
  "revoked-key": refusal("token of a revoked key", "the token was signed with a revoked key"),
  revoked: refusal("token revoked", "the token was revoked"),
  "wrong-channel": refusal("token for another channel", "the token is for another channel"),
  "wrong-role": refusal("token for another role", "the token is for another role"),
  "own-address": refusal("denied by the project's webhook", "the project's own auth address refused the client"),
  "unknown-project": refusal("unknown project", "the channel belongs to no project, and the token to this one"),
  other: { words: "another reason", about: "the media server gave a reason of its own" },
};
