import type { LogKind, NumberField, TextField, TimeField } from "./api.js";
import {
  bytes,
  channelId,
  id as idType,
  milliseconds,
  minutes,
  number,
  type OrderedType,
  outcome,
  plainText,
  reason,
  status,
  type TextType,
  time,
} from "./filters/field-types.js";

import { nearestOf, oneOfThese, takes } from "./messages.js";
import { type Choice, refused, understood, type ValueType } from "./values/value-type.js";
import { nameOf } from "./words.js";

/** What a field holds, and its name in the API's conditions. */
type Held =
  | { readonly holds: "text"; readonly type: TextType; readonly wire: TextField }
  | { readonly holds: "number"; readonly type: OrderedType; readonly wire: NumberField }
  | { readonly holds: "time"; readonly type: OrderedType; readonly wire: TimeField };

/** A field that entries can be filtered by. */
export type FieldSpec = Held & {
  readonly name: string;
  /** Other names; the field's name in the API is one of them. */
  readonly aliases: readonly string[];
  readonly about: string;
  /** The operator that is mostly used with it. */
  readonly operator: string;
  readonly examples: readonly Choice[];
};

type Details = Partial<Pick<FieldSpec, "aliases" | "operator" | "examples">>;

function field(name: string, held: Held, about: string, { aliases = [], ...details }: Details = {}): FieldSpec {
  const usual = { text: ":", number: ">", time: ">=" } as const;
  const examples = held.type.is === "ordered" ? held.type.examples : (held.type.values ?? []);
  const others = [held.wire, ...aliases].filter((alias) => alias !== name);
  return { ...held, name, about, operator: usual[held.holds], examples, ...details, aliases: others };
}

const text = (wire: TextField, type = plainText): Held => ({ holds: "text", type, wire });
const count = (wire: NumberField, type: OrderedType = number): Held => ({ holds: "number", type, wire });
const moment = (wire: TimeField): Held => ({ holds: "time", type: time, wire });

const at = (about: string): FieldSpec => field("time", moment("timestamp"), about, { aliases: ["at", "date"] });
const created = (about: string): FieldSpec =>
  field("created", moment("created_timestamp"), about, { aliases: ["started"] });
const destroyed = (about: string): FieldSpec =>
  field("destroyed", moment("destroyed_timestamp"), about, { aliases: ["ended"] });
const id = (name: "session" | "client" | "bundle" | "connection", about: string, details?: Details): FieldSpec =>
  field(name, text(`${name}_id`, idType), about, details);
const eventId = field("event-id", text("event_id", idType), "The id of the media server's event.");
const channel = (about: string, details?: Details): FieldSpec =>
  field("channel", text("channel_id", channelId), about, {
    aliases: ["room"],
    examples: [
      ["lobby", "the channel's name"],
      ["lobby*", "names that start with lobby"],
    ],
    ...details,
  });
const url = (about: string, examples: readonly Choice[]): FieldSpec =>
  field("url", text("url"), about, { operator: "~", examples });
const httpStatus = (about: string): FieldSpec =>
  field("status", count("status", status), about, { aliases: ["code"], operator: ":" });
const elapsed = (about: string): FieldSpec =>
  field("elapsed", count("elapsed_time_ms", milliseconds), about, { aliases: ["took", "latency"] });
const duration = field(
  "duration",
  count("duration_min", minutes),
  "The duration in whole minutes; a plain number is minutes.",
);

/** A kind of log, as it is typed and described. */
interface KindSpec {
  /** One entry or one log, in a sentence. */
  readonly one: string;
  /** Several entries. */
  readonly many: string;
  /** A description of its entries. */
  readonly about: string;
  readonly aliases: readonly string[];
  readonly fields: readonly FieldSpec[];
}

/** The kinds of logs, by the names that are used everywhere: here, in the SDK and in the formatters. */
const table = {
  sessions: {
    one: "session",
    many: "sessions",
    about: "channel sessions that have ended",
    aliases: ["session", "sess"],
    fields: [
      at("When the entry was written."),
      channel("The session's channel: its name or full id."),
      id("session", "The session's id, in full or shortened."),
      field("total", count("total_connections"), "The number of connections in total.", {
        aliases: ["connections"],
      }),
      field("peak", count("max_connections"), "The highest number of connections at once.", { aliases: ["max"] }),
      created("When the session began."),
      destroyed("When the session ended."),
      duration,
    ],
  },
  connections: {
    one: "connection",
    many: "connections",
    about: "client connections that have ended",
    aliases: ["connection", "conn", "conns"],
    fields: [
      at("When the entry was written."),
      channel("The connection's channel: its name or full id."),
      id("session", "The connection's session."),
      id("client", "The id that the client chose for itself."),
      id("bundle", "The id that the client chose for its bundle."),
      id("connection", "The connection's id, in full or shortened."),
      field("received", count("total_received_bytes", bytes), "The volume received."),
      field("sent", count("total_sent_bytes", bytes), "The volume sent."),
      field("bytes", count("total_bytes", bytes), "The volume received and sent together.", {
        aliases: ["volume"],
      }),
      created("When the connection began."),
      destroyed("When the connection ended."),
      duration,
    ],
  },
  api: {
    one: "API",
    many: "API calls",
    about: "calls of this service's API",
    aliases: ["apis"],
    fields: [
      at("When the call was received."),
      url("The address that was called.", [
        ["create-access-token", "calls that create tokens"],
        ["list-", "calls that list logs"],
      ]),
      httpStatus("The HTTP status of the answer."),
      elapsed("How long the call took; a plain number is milliseconds."),
      field("from", text("from"), "The program that made the call, such as bot or cli, if it named itself.", {
        examples: [
          ["bot", "calls of the Slack bot"],
          ["*", "calls of any program that named itself"],
        ],
      }),
      field("calls", count("count"), "The number of refused calls in the entry; absent for a single call."),
    ],
  },
  "media-api": {
    one: "media API",
    many: "media API calls",
    about: "calls of the media server's API",
    aliases: ["mediaapi", "media-apis"],
    fields: [
      at("When the call was forwarded."),
      field("target", text("media_target"), "The operation that was called: Media_<date>.<name>.", {
        aliases: ["operation"],
        operator: "~",
        examples: [["DisconnectChannel", "part of its name"]],
      }),
      channel("The channel of the call: its name or full id."),
      httpStatus("The HTTP status of the answer."),
      elapsed("How long the call took; a plain number is milliseconds."),
    ],
  },
  webhooks: {
    one: "webhook",
    many: "webhooks",
    about: "webhook deliveries, one entry per attempt",
    aliases: ["webhook", "hook", "hooks"],
    fields: [
      at("When the delivery was attempted."),
      field("type", text("type"), "The webhook's event: <object>.<action>.", {
        aliases: ["event"],
        examples: [
          ["session.created", "a session began"],
          ["connection.created", "a client connected"],
          ["session.*", "all events of sessions"],
          ["connection.*", "all events of connections"],
        ],
      }),
      url("The receiver's address.", [["hooks", "part of the address"]]),
      httpStatus("The HTTP status of the receiver's answer; 0 if there was none."),
      elapsed("How long the receiver took; a plain number is milliseconds."),
      channel("The channel that it is about, if any: its name or full id."),
      id("connection", "The connection that it is about, if any."),
      eventId,
    ],
  },
  events: {
    one: "event",
    many: "events",
    about: "events of sessions and connections, and refused clients, with outcomes and reasons",
    aliases: ["event", "ev"],
    fields: [
      at("When it happened."),
      field("type", text("type"), "The event: <object>.<action>.", {
        aliases: ["event"],
        examples: [
          ["connection.failed", "a connection could not be made, or broke"],
          ["admission.refused", "a client was refused"],
          ["connection.created", "a client connected"],
          ["connection.*", "all events of connections"],
          ["session.*", "all events of sessions"],
        ],
      }),
      field("outcome", text("outcome", outcome), "How it ended; the word failed finds both refused and failed."),
      field("reason", text("reason", reason), "Why it was refused, failed or ended."),
      channel("The channel: its name or full id."),
      id("client", "The id that the client chose for itself."),
      id("connection", "The connection's id, in full or shortened."),
      id("session", "The session's id, in full or shortened."),
      id("bundle", "The id that the client chose for its bundle."),
      field("node", text("node_name"), "The media server's node."),
      field("role", text("role"), "The connection's role.", {
        examples: [
          ["recvonly", "only receives"],
          ["sendonly", "only sends"],
          ["sendrecv", "sends and receives"],
        ],
      }),
      field("media-reason", text("media_reason"), "The media server's own word for the reason.", {
        examples: [["ICE-TIMEOUT", "no network path was found in time"]],
      }),
      field("detail", text("detail"), "What the reason leaves open, such as 5 of 5.", { operator: "~" }),
      field("token", text("jwt_id", idType), "The id (jti) of the client's token.", { aliases: ["jti"] }),
      field("key", text("key_id", idType), "The id of the API key that signed the token."),
      field(
        "after",
        count("elapsed_time_ms", milliseconds),
        "How long the session or connection had existed; a plain number is milliseconds.",
        { aliases: ["elapsed"] },
      ),
      field("count", count("count"), "The number of refusals in the entry; absent for a single one."),
      eventId,
    ],
  },
} satisfies Record<LogKind, KindSpec>;

/** The kinds of logs, in the order in which they are offered. */
export const kinds: readonly LogKind[] = Object.keys(table).filter((name): name is LogKind =>
  Object.hasOwn(table, name),
);

/** The name, description and fields of a kind of log. */
export function kindSpec(kind: LogKind): KindSpec {
  return table[kind];
}

/** The kind that a text names, in any form: `hooks`, `Media API`, `media_api`. */
export function kindNamed(text: string): LogKind | undefined {
  const word = nameOf(text.trim()).replaceAll(/[\s_]+/g, "-");
  return kinds.find((kind) => kind === word || table[kind].aliases.includes(word));
}

/** Every word that names a kind. */
export const kindNames: readonly string[] = kinds.flatMap((kind) => [kind, ...table[kind].aliases]);

/** A kind of log, in any of its forms. */
export const kind: ValueType<LogKind> = {
  name: "kind",
  example: "webhooks",
  distinctive: true,
  choices: kinds,
  parse(text, { subject }) {
    const named = kindNamed(text);
    if (named) return understood(named);
    return refused(takes(subject, oneOfThese(kinds), text), kindNamed(nearestOf(text, kindNames) ?? ""));
  },
  complete: () => kinds.map((name) => [name, kindSpec(name).about]),
  write: (name) => name,
  describe: (name) => kindSpec(name).one,
};

/** The fields that a kind of log can be filtered by. */
export function fieldsOf(kind: LogKind): readonly FieldSpec[] {
  return table[kind].fields;
}

/** The field that says what failed; undefined for logs of what cannot fail. */
export function failureField(kind: LogKind): FieldSpec | undefined {
  return fieldsOf(kind).find(({ wire }) => wire === "status" || wire === "outcome");
}

/** The field of this name or alias. */
export function fieldNamed(kind: LogKind, word: string): FieldSpec | undefined {
  const name = nameOf(word);
  return fieldsOf(kind).find((field) => field.name === name || field.aliases.includes(name));
}

/** The kinds of logs with a field of this name. */
export function kindsWith(word: string): LogKind[] {
  return kinds.filter((kind) => fieldNamed(kind, word));
}
