import {
  type ApiLogWhere,
  type ConnectionLogWhere,
  type EventLogWhere,
  type FieldContent,
  type LogField,
  type LogKind,
  type LogKindSpec,
  logKinds,
  type MediaApiLogWhere,
  readTimestamp,
  reasons,
  type SessionLogWhere,
  typeOf,
  type WebhookLogWhere,
} from "@media-ops/contract";
import { describeDuration, readDuration, readMoment, writeDuration } from "./times.js";
import {
  type Choice,
  type DescribeContext,
  describeMoment,
  type Edge,
  noTime,
  oneOf,
  type Read,
  type ReadContext,
  refused,
  understood,
  unitHint,
  type ValueType,
} from "./values.js";
import { COMMAS, DASHES, nameOf, nearestOf, oneOfThese, takes } from "./words.js";

/** The contract's conditions on the entries of a log, by field. */
export type LogWhere = ApiLogWhere &
  ConnectionLogWhere &
  EventLogWhere &
  MediaApiLogWhere &
  SessionLogWhere &
  WebhookLogWhere;

type FieldsWith<Member extends string> = {
  [Name in keyof LogWhere]-?: Member extends keyof NonNullable<LogWhere[Name]> ? Name : never;
}[Exclude<keyof LogWhere, "failed">];

/** The contract's names of the fields that hold text. */
export type TextField = FieldsWith<"contains">;

/** The contract's names of the fields that hold a number. */
export type NumberField = Exclude<FieldsWith<"eq">, TextField>;

/** The contract's names of the fields that hold a time. */
export type TimeField = Exclude<keyof LogWhere, TextField | NumberField | "failed">;

/** A range with both ends included. Times are milliseconds since 1970, durations milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The texts between wildcards: `["connection.", ""]` is `connection.*`; a single one is the whole text. */
export type Pattern = readonly string[];

/** The condition of a filter. */
export type Test =
  | { readonly is: "like"; readonly any: readonly Pattern[] }
  | { readonly is: "containing"; readonly any: readonly string[] }
  | { readonly is: "within"; readonly any: readonly Range[] }
  | { readonly is: ">" | ">=" | "<" | "<="; readonly value: number }
  /**
   * Status 0, which is no answer, or a status from 400 on; of events, any outcome but `ok`. The word `failed`, and negated
   * `ok`.
   */
  | { readonly is: "failed" };

/** One filter, as plain data that can be compared, stored and written back. */
export interface Filter {
  /** The field's name in a filter: `status`. */
  readonly field: string;
  /** Whether it selects the entries that fail the test, including those without the field; but `ok` needs a status or outcome. */
  readonly negated: boolean;
  readonly test: Test;
}

/** A typed value that has an order. */
interface Span extends Range {
  /** The value that `<=` and `>` compare with: the end of a day, 599 of `5xx`, else `from`. */
  readonly last: number;
  /** Whether it was typed as a distance from now, so that no entry lies exactly there. */
  readonly relative?: boolean | undefined;
}

/** A field type with an order: numbers, durations, times. */
export interface OrderedType {
  readonly is: "ordered";
  readonly name: string;
  readonly examples: readonly Choice[];
  /** Whether the field holds a timestamp; otherwise it holds a number. */
  readonly isTime: boolean;
  /** The size of the API's unit in ours. */
  readonly scale: number;
  read(text: string, context: ReadContext): Read<Span>;
  write(value: number): string;
  /** A value for people; the edge of a day reads as the day. */
  describe(value: number, context: DescribeContext, edge?: Edge): string;
  /** A range in a shorter form than its two ends: `5xx`. */
  describeRange?(range: Range, context: DescribeContext): string | undefined;
}

/** A value that covers only itself. */
function exactly(value: number): Span {
  return { from: value, to: value, last: value };
}

/** A field type that is text. */
interface TextType {
  readonly is: "text";
  readonly name: string;
  /** All its values, if the contract lists them. */
  readonly values?: readonly Choice[];
}

const plainText: TextType = { is: "text", name: "text" };

const outcome: TextType = {
  is: "text",
  name: "outcome",
  values: [
    ["refused", "a client was not admitted"],
    ["failed", "a connection could not be made, broke or vanished"],
    ["ok", "anything else"],
  ],
};

const reason: TextType = {
  is: "text",
  name: "reason",
  values: Object.entries(reasons).map(([name, { about }]): Choice => [name, about]),
};

/** The words that are filters by themselves. A receiver that never answered has status 0, which `status>=400` misses. */
export const outcomes = {
  failed: { negated: false, shown: "failed", about: "no answer, a status from 400 on, or refused" },
  ok: { negated: true, shown: "successful", about: "all that did not fail" },
} as const;

/** The word for a filter, if it is one of them. */
export const outcomeOf = ({ negated, test }: Filter): keyof typeof outcomes | undefined =>
  test.is === "failed" ? (negated ? "ok" : "failed") : undefined;

/** The filter for everything that failed. */
export const failedFilter = "failed";

const PLAIN_NUMBER = /^\d{1,15}(?:\.\d{1,3})?$/;

const number: OrderedType = {
  is: "ordered",
  name: "number",
  examples: [
    ["5", "a number"],
    ["2..10", "from 2 to 10"],
  ],
  isTime: false,
  scale: 1,
  read: (text, { subject }) =>
    PLAIN_NUMBER.test(text) ? understood(exactly(Number(text))) : refused(takes(subject, "a number, such as 5", text)),
  write: String,
  describe: String,
};

const status: OrderedType = {
  ...number,
  name: "HTTP status",
  examples: [
    ["5xx", "from 500 to 599"],
    ["400", "a status"],
    ["404", "not found"],
    ["400..499", "from 400 to 499"],
    ["0", "no answer"],
  ],
  read(text, { subject }) {
    const typed = text.toLowerCase();
    if (/^\d{1,3}$/.test(typed)) return understood(exactly(Number(typed)));
    if (/^[1-9](?:xx|\dx|\d?\*)$/.test(typed)) {
      const digits = typed.replace(/\D+$/, "");
      const [from, to] = [Number(digits.padEnd(3, "0")), Number(digits.padEnd(3, "9"))];
      return understood({ from, to, last: to });
    }
    return refused(takes(subject, "an HTTP status, such as 404, 5xx or 400..499", text));
  },
  describeRange: ({ from, to }) =>
    from >= 100 && from % 100 === 0 && to === from + 99 ? `${from / 100}xx` : undefined,
};

const bytes: OrderedType = {
  ...number,
  name: "bytes",
  examples: [
    ["1MB", "a million bytes"],
    ["500kB", "500,000 bytes"],
    ["1GiB", "1,073,741,824 bytes"],
  ],
  read(text, { subject }) {
    const value = readBytes(text);
    if (value !== undefined) return understood(exactly(value));
    return refused(takes(subject, "a number of bytes, such as 500kB, 10MB or 1GiB", text));
  },
  write: (value) => bytesText(value, ""),
  describe: (value) => bytesText(value, " "),
};

/** A duration field. `scale` is the API's unit in milliseconds, which also applies to a number without a unit. */
function lengthIn(scale: number, examples: OrderedType["examples"]): OrderedType {
  return {
    ...number,
    name: "duration",
    examples,
    scale,
    read(text, { subject }) {
      const ms = PLAIN_NUMBER.test(text) ? Number(text) * scale : readDuration(text);
      if (ms !== undefined) return understood(exactly(ms));
      return refused(`${takes(subject, "a duration, such as 500ms, 2s or 30m", text)}${unitHint(text)}`);
    },
    write: writeDuration,
    describe: describeDuration,
  };
}

const milliseconds: OrderedType = lengthIn(1, [
  ["500ms", "half a second"],
  ["1s", "a second"],
  ["5s", "5 seconds"],
]);

const minutes: OrderedType = lengthIn(60_000, [
  ["30m", "30 minutes"],
  ["1h", "an hour"],
  ["5m", "5 minutes"],
]);

const time: OrderedType = {
  is: "ordered",
  name: "time",
  examples: [
    ["2h", "2 hours ago"],
    ["yesterday", "the whole day before today"],
    ["09:00", "the last nine o'clock"],
    ["2026-11-20", "the whole day"],
  ],
  isTime: true,
  scale: 1,
  read(text, { subject, now, zone }) {
    const found = readMoment(text, { now, zone, direction: "back" });
    if (!found) return noTime(subject, text);
    const { from, to, isDay, relative } = found;
    return understood({ from, to, last: isDay ? to : from, relative });
  },
  write: (instant) => new Date(instant).toISOString(),
  describe: describeMoment,
  describeRange({ from, to }, context) {
    const [start, end] = [describeMoment(from, context), describeMoment(to, context, "end")];
    // A day, a minute or a second.
    if (start === end) return start;
    return [59_999, 999].includes(to - from) ? describeMoment(from, context, "none") : undefined;
  },
};

/** Largest first; a decimal unit before the binary one of its size. */
const units: readonly (readonly [name: string, bytes: number])[] = [
  ["TB", 1e12],
  ["TiB", 2 ** 40],
  ["GB", 1e9],
  ["GiB", 2 ** 30],
  ["MB", 1e6],
  ["MiB", 2 ** 20],
  ["kB", 1e3],
  ["KiB", 2 ** 10],
  ["B", 1],
];

/** `mb`, `m`, and an empty unit for bytes. */
const bytesOfUnit: ReadonlyMap<string, number> = new Map([
  ...units.flatMap(([name, bytes]): [string, number][] =>
    [name, name.slice(0, -1)].map((form) => [form.toLowerCase(), bytes]),
  ),
  ["byte", 1],
  ["bytes", 1],
]);

/** The bytes of `10MB`, `1.5 GiB`, `2048`. */
function readBytes(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = bytesOfUnit.get(unit.toLowerCase());
  if (count === undefined || factor === undefined) return undefined;
  const bytes = Number(count) * factor;
  // Anything finer is rounding of binary fractions.
  const exact = Number.isInteger(bytes) ? bytes : Math.round(bytes * 1000) / 1000;
  return exact <= Number.MAX_SAFE_INTEGER ? exact : undefined;
}

/** The shortest text for exactly this many bytes: `10MB`, or `10 MB` for people. */
function bytesText(bytes: number, space: "" | " "): string {
  const [unit, factor] = units.find(([, size]) => bytes > 0 && bytes % size === 0) ?? ["B", 1];
  return `${bytes / factor}${space}${unit}`;
}

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
  channel: { is: "text", name: "channel" },
  id: { is: "text", name: "id" },
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

/** The kinds of logs, in the order in which they are offered. */
export const kinds = Object.keys(logKinds) as readonly LogKind[];

const specs = kinds.map((kind) => [kind, specOf(logKinds[kind])] as const);
const table = Object.fromEntries(specs) as Record<LogKind, (typeof specs)[number][1]>;

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
  ...oneOf<LogKind>("kind", table),
  example: "webhooks",
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

/** The order in which entries are listed, if not the newest first. */
export interface SortOrder {
  /** The field's name in a filter: `bytes`. */
  readonly field: string;
  readonly first: "largest" | "smallest";
}

/** The fields of a log; of all logs as long as the kind is unknown. */
function fieldsWith(kind: LogKind | undefined, suits: (field: FieldSpec) => boolean): readonly FieldSpec[] {
  return (kind ? [kind] : kinds).flatMap((one) => fieldsOf(one).filter(suits));
}

const ofLog = (kind: LogKind | undefined): string => (kind ? ` of ${kindSpec(kind).one} logs` : "");

const isSortable = ({ holds }: FieldSpec): boolean => holds !== "text";
const times = new Set(fieldsWith(undefined, ({ holds }) => holds === "time").map(({ name }) => name));

/** The smallest number, the oldest time. */
const smallestOf = (field: string): string => (times.has(field) ? "oldest" : "smallest");

/** `largest bytes first`, `newest time first` */
function inWords({ field, first }: SortOrder): string {
  const largest = times.has(field) ? "newest" : first;
  return `${first === "largest" ? largest : smallestOf(field)} ${field} first`;
}

const SORTED = new RegExp(`^([${DASHES}]?)(.*)$`);

/** A field to sort by, the largest or newest first; with a minus, the smallest or oldest: `bytes`, `-bytes`. */
export const sortOrder: ValueType<SortOrder> = {
  name: "field",
  example: "elapsed",
  distinctive: true,
  parse(text, { subject, kind }) {
    const sortable = fieldsWith(kind, isSortable);
    const names = new Map(sortable.flatMap((field) => [field.name, ...field.aliases].map((one) => [one, field.name])));
    const [, dash, name = ""] = SORTED.exec(nameOf(text)) ?? [];
    const minus = dash && "-";
    const field = names.get(name);
    if (field) return understood({ field, first: minus ? "smallest" : "largest" });
    const near = names.get(nearestOf(name, names.keys()) ?? "");
    const wanted = `a number or time${ofLog(kind)}: ${oneOfThese([...new Set(names.values())])}`;
    return refused(takes(subject, wanted, text), near && `${minus}${near}`);
  },
  // Without a kind, most fields would be those of another log.
  complete: ({ kind }) =>
    (kind ? fieldsOf(kind).filter(isSortable) : []).flatMap(({ name }): Choice[] => [
      [name, inWords({ field: name, first: "largest" })],
      [`-${name}`, inWords({ field: name, first: "smallest" })],
    ]),
  write: ({ field, first }) => `${first === "smallest" ? "-" : ""}${field}`,
  describe: inWords,
};

/**
 * Compares entries of a log for an order; those without a value come last. Entries that compare as equal should stay in
 * their order, the newest first.
 *
 * @example entries.sort(comparing("connections", { field: "bytes", first: "largest" }))
 */
export function comparing(kind: LogKind, order: SortOrder): (a: object, b: object) => number {
  const wire = orderOf(kind, order).sortedBy;
  const fields = wire === "total_bytes" ? ["total_received_bytes", "total_sent_bytes"] : [wire];
  const sign = order.first === "largest" ? -1 : 1;
  const rankOf = (entry: object): number => {
    const members = new Map<string, unknown>(Object.entries(entry));
    const size = fields.reduce((sum, name) => sum + numberOf(members.get(name)), 0);
    return Number.isNaN(size) ? Number.POSITIVE_INFINITY : sign * size;
  };
  return (a, b) => {
    const [one, other] = [rankOf(a), rankOf(b)];
    return one === other ? 0 : one - other;
  };
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : (readTimestamp(value) ?? Number.NaN));

/** The field of an order, with the API's name, and the order in words: "by bytes", "by elapsed (smallest first)". */
export function orderOf(kind: LogKind, { field, first }: SortOrder): { sortedBy: string; words: string } {
  const words = first === "largest" ? `by ${field}` : `by ${field} (${smallestOf(field)} first)`;
  return { sortedBy: fieldNamed(kind, field)?.wire ?? field, words };
}

/** The API's name of a field that entries can be grouped by. */
export type GroupField = Exclude<TextField, "channel" | "event_id" | "detail"> | "status" | "failed";

function groupOf({ holds, wire }: FieldSpec): GroupField | undefined {
  if (wire === "status") return wire;
  // Of event ids and details, hardly two are alike.
  return holds !== "text" || wire === "channel" || wire === "event_id" || wire === "detail" ? undefined : wire;
}

const MOST_GROUPED = 2;

/** The fields that entries can be grouped by, by the names that are typed for them. */
function groupsOf(kind: LogKind | undefined): ReadonlyMap<string, GroupField> {
  const byName = fieldsWith(kind, () => true).flatMap((field) => {
    const group = groupOf(field);
    return group ? [field.name, ...field.aliases].map((alias) => [alias, group] as const) : [];
  });
  const canFail = (kind ? [kind] : kinds).some(failureField);
  return new Map([...byName, ...(canFail ? [["failed", "failed"] as const] : [])]);
}

/** The name that is typed for a field. */
const groupName = (field: GroupField): string => fieldsWith(undefined, ({ wire }) => wire === field)[0]?.name ?? field;

const writeGroups = (fields: readonly GroupField[]): string => fields.map(groupName).join(",");

const groupNames = (kind: LogKind | undefined): string[] => [...new Set(groupsOf(kind).values())].map(groupName);

/** One or two fields to group entries by: `url`, `url,status`. */
export const grouping: ValueType<readonly GroupField[]> = {
  name: "field",
  example: "status",
  distinctive: true,
  list: true,
  parse(text, { subject, kind }) {
    const groups = groupsOf(kind);
    const typed = nameOf(text)
      .split(new RegExp(`[${COMMAS}]`))
      .map((name) => name.trim());
    const meant = typed.map((name) => groups.get(name) ?? groups.get(nearestOf(name, groups.keys()) ?? ""));
    const fields = [...new Set(meant)].flatMap((field) => field ?? []);
    const isRight = typed.every((name) => groups.has(name)) && fields.length === typed.length;
    if (isRight && fields.length <= MOST_GROUPED) return understood(fields);
    const wanted = isRight ? "one field or two" : `a field${ofLog(kind)}: ${oneOfThese(groupNames(kind))}`;
    return refused(takes(subject, wanted, text), writeGroups(fields.slice(0, MOST_GROUPED)) || undefined);
  },
  complete: ({ kind }) => (kind ? groupNames(kind) : []).map((name) => [name, `a group for each ${name}`]),
  write: writeGroups,
  describe: (fields) => oneOfThese(fields.map(groupName), "and"),
};
