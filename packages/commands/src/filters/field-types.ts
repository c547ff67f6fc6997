import {
  type ApiLogWhere,
  type ConnectionLogWhere,
  type EventLogWhere,
  type MediaApiLogWhere,
  reasons,
  type SessionLogWhere,
  type WebhookLogWhere,
} from "@media-ops/contract";
import { takes } from "../messages.js";
import { describeDuration, readDuration, readMoment, writeDuration } from "../times.js";
import { describeMoment, type Edge, noTime, unitHint } from "../values/time-types.js";
import {
  type Choice,
  type DescribeContext,
  type Read,
  type ReadContext,
  refused,
  understood,
} from "../values/value-type.js";

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
  readonly relative?: boolean;
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
export interface TextType {
  readonly is: "text";
  readonly name: string;
  /** All its values, if the contract lists them. */
  readonly values?: readonly Choice[];
  /** The part that is compared if the typed text has no `@`. */
  part(text: string): string;
}

export const plainText: TextType = { is: "text", name: "text", part: (text) => text };

export const id: TextType = { ...plainText, name: "id" };

export const outcome: TextType = {
  ...plainText,
  name: "outcome",
  values: [
    ["refused", "a client was not admitted"],
    ["failed", "a connection could not be made, broke or vanished"],
    ["ok", "anything else"],
  ],
};

export const reason: TextType = {
  ...plainText,
  name: "reason",
  values: Object.entries(reasons).map(([name, { about }]): Choice => [name, about]),
};

/** `<channel_name>@<project_id>`: the name alone is enough. */
export const channelId: TextType = {
  ...plainText,
  name: "channel",
  part(text) {
    const at = text.lastIndexOf("@");
    return at < 0 ? text : text.slice(0, at);
  },
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

export const number: OrderedType = {
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

export const status: OrderedType = {
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

export const bytes: OrderedType = {
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

export const milliseconds: OrderedType = lengthIn(1, [
  ["500ms", "half a second"],
  ["1s", "a second"],
  ["5s", "5 seconds"],
]);

export const minutes: OrderedType = lengthIn(60_000, [
  ["30m", "30 minutes"],
  ["1h", "an hour"],
  ["5m", "5 minutes"],
]);

export const time: OrderedType = {
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
    const { from, to, covers, relative } = found;
    return understood({ from, to, last: covers === "day" ? to : from, relative });
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
