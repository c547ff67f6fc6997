import { kinds, type LogKind } from "../kinds.js";
import type { Choice } from "../values/value-type.js";
import { nameOf } from "../words.js";
import { channelId, id as idType, type OrderedType, plainText, type TextType } from "./filter.js";
import { bytes, milliseconds, minutes, number, status, time } from "./ordered-types.js";

/** A field that entries can be filtered by. */
export interface FieldSpec {
  /** The name in a filter. */
  readonly name: string;
  /** The field of the entries; of two, their sum. */
  readonly wire: readonly [string] | readonly [string, string];
  readonly type: OrderedType | TextType;
  /** Other names; the field's name in the API is one of them. */
  readonly aliases: readonly string[];
  /** One sentence for the help. */
  readonly about: string;
  /** The operator that it is mostly used with. */
  readonly operator: string;
  /** Values to suggest. */
  readonly examples: readonly Choice[];
}

type Ordered = Pick<FieldSpec, "name" | "about"> & {
  wire: FieldSpec["wire"];
  type: OrderedType;
  aliases?: string[];
  operator?: string;
};
type Text = Pick<FieldSpec, "name" | "about"> & {
  wire: string;
  type?: TextType;
  aliases?: string[];
  operator?: string;
  examples?: readonly Choice[];
};

function ordered({ aliases = [], operator = ">", ...rest }: Ordered): FieldSpec {
  const others = rest.wire.length === 1 ? [...rest.wire, ...aliases] : aliases;
  return { ...rest, operator, aliases: others.filter((name) => name !== rest.name), examples: rest.type.examples };
}

function text({ wire, type = plainText, aliases = [], operator = ":", examples = [], ...rest }: Text): FieldSpec {
  return {
    ...rest,
    wire: [wire],
    type,
    operator,
    aliases: [wire, ...aliases].filter((name) => name !== rest.name),
    examples,
  };
}

const at = (about: string): FieldSpec =>
  ordered({ name: "time", wire: ["timestamp"], type: time, aliases: ["at", "date"], about, operator: ">=" });
const channel = (about: string): FieldSpec =>
  text({
    name: "channel",
    wire: "channel_id",
    type: channelId,
    aliases: ["room"],
    about,
    examples: [
      ["lobby", "the channel's name"],
      ["lobby*", "names that start with lobby"],
    ],
  });
const id = (name: string, about: string): FieldSpec => text({ name, wire: `${name}_id`, about, type: idType });
const httpStatus = (about: string): FieldSpec =>
  ordered({ name: "status", wire: ["status"], type: status, aliases: ["code"], about, operator: ":" });
const elapsed = (about: string): FieldSpec =>
  ordered({ name: "elapsed", wire: ["elapsed_time_ms"], type: milliseconds, aliases: ["took", "latency"], about });
const duration = (about: string): FieldSpec =>
  ordered({ name: "duration", wire: ["duration_min"], type: minutes, about });
const created = (about: string): FieldSpec =>
  ordered({ name: "created", wire: ["created_timestamp"], type: time, aliases: ["started"], about, operator: ">=" });
const destroyed = (about: string): FieldSpec =>
  ordered({ name: "destroyed", wire: ["destroyed_timestamp"], type: time, aliases: ["ended"], about, operator: ">=" });

const table: Readonly<Record<LogKind, readonly FieldSpec[]>> = {
  sessions: [
    at("ParseOptions the entry was written."),
    channel("The session's channel: its name or full id."),
    id("session", "The session's id, in full or shortened."),
    ordered({
      name: "total",
      wire: ["total_connections"],
      type: number,
      aliases: ["connections"],
      about: "The number of connections in total.",
    }),
    ordered({
      name: "peak",
      wire: ["max_connections"],
      type: number,
      aliases: ["max"],
      about: "The highest number of connections at once.",
    }),
    created("ParseOptions the session began."),
    destroyed("ParseOptions the session ended."),
    duration("The duration in whole minutes; a plain number is minutes."),
  ],
  connections: [
    at("ParseOptions the entry was written."),
    channel("The connection's channel: its name or full id."),
    id("session", "The connection's session."),
    id("client", "The id that the client chose for itself."),
    id("bundle", "The id that the client chose for its bundle."),
    id("connection", "The connection's id, in full or shortened."),
    ordered({ name: "received", wire: ["total_received_bytes"], type: bytes, about: "The volume received." }),
    ordered({ name: "sent", wire: ["total_sent_bytes"], type: bytes, about: "The volume sent." }),
    ordered({
      name: "bytes",
      wire: ["total_received_bytes", "total_sent_bytes"],
      type: bytes,
      aliases: ["volume"],
      about: "The volume received and sent together.",
    }),
    created("ParseOptions the connection was made."),
    destroyed("ParseOptions the connection ended."),
    duration("The duration in whole minutes; a plain number is minutes."),
  ],
  api: [
    at("ParseOptions the call came."),
    text({
      name: "url",
      wire: "url",
      about: "The address that was called.",
      operator: "~",
      examples: [
        ["create-access-token", "calls that create tokens"],
        ["list-", "calls that list logs"],
      ],
    }),
    httpStatus("The HTTP status of the answer."),
    elapsed("How long the call took; a plain number is milliseconds."),
    ordered({
      name: "calls",
      wire: ["count"],
      type: number,
      about: "The number of refused calls in the entry; absent for a single call.",
    }),
  ],
  "media-api": [
    at("ParseOptions the call was passed on."),
    text({
      name: "target",
      wire: "media_target",
      aliases: ["operation"],
      about: "The operation that was called: Media_<date>.<name>.",
      operator: "~",
      examples: [["DisconnectChannel", "part of its name"]],
    }),
    channel("The channel of the call: its name or full id."),
    httpStatus("The HTTP status of the answer."),
    elapsed("How long the call took; a plain number is milliseconds."),
  ],
  webhooks: [
    at("ParseOptions the delivery was tried."),
    text({
      name: "type",
      wire: "type",
      aliases: ["event"],
      about: "The webhook's event: <object>.<action>.",
      examples: [
        ["session.created", "a session began"],
        ["connection.created", "a client connected"],
        ["session.*", "all events of sessions"],
        ["connection.*", "all events of connections"],
      ],
    }),
    text({
      name: "url",
      wire: "url",
      about: "The receiver's address.",
      operator: "~",
      examples: [["hooks", "part of the address"]],
    }),
    httpStatus("The HTTP status of the receiver's answer; 0 if there was none."),
    elapsed("How long the receiver took; a plain number is milliseconds."),
  ],
};

/** The fields that a kind of log can be filtered by. */
export function fieldsOf(kind: LogKind): readonly FieldSpec[] {
  return table[kind];
}

/** The field of this name or alias. */
export function fieldNamed(kind: LogKind, word: string): FieldSpec | undefined {
  const name = nameOf(word);
  return table[kind].find((field) => field.name === name || field.aliases.includes(name));
}

/** The kinds of logs with a field of this name. */
export function kindsWith(word: string): LogKind[] {
  return kinds.filter((kind) => fieldNamed(kind, word));
}
