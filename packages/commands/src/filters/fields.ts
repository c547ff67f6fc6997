import { kinds, type LogKind } from "../kinds.js";
import type { Choice } from "../values/value-type.js";
import { nameOf } from "../words.js";
import { channelId, id as idType, type OrderedType, plainText, type TextType } from "./filter.js";
import { bytes, milliseconds, minutes, number, status, time } from "./ordered-types.js";

/** A field that can be filtered by. */
export interface FieldSpec {
  /** What it is called in a filter. */
  readonly name: string;
  /** The field of the entries that is read; of two, their sum. */
  readonly wire: readonly [string] | readonly [string, string];
  readonly type: OrderedType | TextType;
  /** Other words for it; the name on the wire is one of them. */
  readonly aliases: readonly string[];
  /** One sentence for the help. */
  readonly about: string;
  /** The operator with which it is used most. */
  readonly operator: string;
  /** Values to offer. */
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
      ["lobby*", "names that begin so"],
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
    at("When the entry was written."),
    channel("The session's channel: its name, or the whole id."),
    id("session", "The session's id, whole or shortened as it is shown."),
    ordered({
      name: "total",
      wire: ["total_connections"],
      type: number,
      aliases: ["connections"],
      about: "How many connections there were in all.",
    }),
    ordered({
      name: "peak",
      wire: ["max_connections"],
      type: number,
      aliases: ["max"],
      about: "How many connections there were at once, at most.",
    }),
    created("When the session began."),
    destroyed("When the session ended."),
    duration("How long it lasted, in whole minutes; a number alone is minutes."),
  ],
  connections: [
    at("When the entry was written."),
    channel("The connection's channel: its name, or the whole id."),
    id("session", "The session that it belonged to."),
    id("client", "The client's id, as the client chose it."),
    id("bundle", "The bundle's id, as the client chose it."),
    id("connection", "The connection's id, whole or shortened as it is shown."),
    ordered({ name: "received", wire: ["total_received_bytes"], type: bytes, about: "How much was received." }),
    ordered({ name: "sent", wire: ["total_sent_bytes"], type: bytes, about: "How much was sent." }),
    ordered({
      name: "bytes",
      wire: ["total_received_bytes", "total_sent_bytes"],
      type: bytes,
      aliases: ["volume"],
      about: "How much was received and sent, together.",
    }),
    created("When the connection was made."),
    destroyed("When the connection ended."),
    duration("How long it lasted, in whole minutes; a number alone is minutes."),
  ],
  api: [
    at("When the call came."),
    text({
      name: "url",
      wire: "url",
      about: "The address that was called.",
      operator: "~",
      examples: [
        ["create-access-token", "calls that make tokens"],
        ["list-", "calls that list logs"],
      ],
    }),
    httpStatus("The HTTP status of the answer."),
    elapsed("How long the call took; a number alone is milliseconds."),
    ordered({
      name: "calls",
      wire: ["count"],
      type: number,
      about: "How many refused calls the entry stands for; an entry of one call has no number.",
    }),
  ],
  "media-api": [
    at("When the call was passed on."),
    text({
      name: "target",
      wire: "media_target",
      aliases: ["operation"],
      about: "The operation that was called: Media_<date>.<name>.",
      operator: "~",
      examples: [["DisconnectChannel", "a part of its name"]],
    }),
    channel("The channel that the call was about: its name, or the whole id."),
    httpStatus("The HTTP status of the answer."),
    elapsed("How long the call took; a number alone is milliseconds."),
  ],
  webhooks: [
    at("When the delivery was tried."),
    text({
      name: "type",
      wire: "type",
      aliases: ["event"],
      about: "What the webhook tells: <object>.<action>.",
      examples: [
        ["session.created", "a session began"],
        ["connection.created", "a client connected"],
        ["session.*", "all that sessions tell"],
        ["connection.*", "all that connections tell"],
      ],
    }),
    text({
      name: "url",
      wire: "url",
      about: "The address that it was sent to.",
      operator: "~",
      examples: [["hooks", "a part of the address"]],
    }),
    httpStatus("The HTTP status of the receiver's answer; 0 where there was none."),
    elapsed("How long the receiver took; a number alone is milliseconds."),
  ],
};

/** The fields of a kind's entries by which they can be filtered. */
export function fieldsOf(kind: LogKind): readonly FieldSpec[] {
  return table[kind];
}

/** The field that a word names, be it the wire's name or another word for it. */
export function fieldNamed(kind: LogKind, word: string): FieldSpec | undefined {
  const name = nameOf(word);
  return table[kind].find((field) => field.name === name || field.aliases.includes(name));
}

/** The kinds whose entries have a field that this word names. */
export function kindsWith(word: string): LogKind[] {
  return kinds.filter((kind) => fieldNamed(kind, word));
}
