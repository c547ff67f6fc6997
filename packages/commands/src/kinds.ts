import {
  type FieldContent,
  type LogField,
  type LogKind,
  type LogKindSpec,
  logKinds,
  typeOf,
} from "@media-ops/contract";
import {
  bytes,
  channelId,
  id,
  milliseconds,
  minutes,
  type NumberField,
  number,
  type OrderedType,
  outcome,
  plainText,
  reason,
  status,
  type TextField,
  type TextType,
  type TimeField,
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

const types: { readonly [Content in FieldContent]: TextType | OrderedType } = {
  time,
  status,
  milliseconds,
  minutes,
  bytes,
  count: number,
  channel: channelId,
  id,
  address: plainText,
  outcome,
  reason,
  text: plainText,
};

const usualOperator = { text: ":", number: ">", time: ">=" } as const;

function fieldSpec(wire: string, field: LogField): FieldSpec {
  const { name, about, words = [] } = field;
  const [holds, type] = [typeOf(field.holds), types[field.holds]];
  const { operator = usualOperator[holds] } = field;
  const { examples = (type.is === "ordered" ? type.examples : type.values) ?? [] } = field;
  const aliases = [wire, ...words].filter((alias) => alias !== name);
  // A test compares what each field holds with the contract's conditions.
  return { holds, type, wire, name, aliases, about, operator, examples } as FieldSpec;
}

/** A kind of log, as it is typed and described; `one` is one entry or one log, in a sentence. */
function specOf({ title, many, about, words, fields, filters = Object.keys(fields) }: LogKindSpec) {
  const one = title.replace(/ log$/, "").replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const ownFields = filters.flatMap((wire) => {
    const field = fields[wire];
    return field ? fieldSpec(wire, field) : [];
  });
  return { one, many, about, aliases: words, fields: ownFields };
}

const table = {
  sessions: specOf(logKinds.sessions),
  connections: specOf(logKinds.connections),
  api: specOf(logKinds.api),
  "media-api": specOf(logKinds["media-api"]),
  webhooks: specOf(logKinds.webhooks),
  events: specOf(logKinds.events),
};

/** The kinds of logs, in the order in which they are offered. */
export const kinds = Object.keys(logKinds) as readonly LogKind[];

/** The name, description and fields of a kind of log. */
export const kindSpec = (kind: LogKind) => table[kind];

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
export const fieldsOf = (kind: LogKind): readonly FieldSpec[] => table[kind].fields;

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
