import type { FieldColumn, ValueKind } from "../columns.js";
import { endOfAddress, withoutScheme } from "./address.js";
import { channelWords, splitChannel } from "./channel.js";
import { fieldOf } from "./field.js";
import { formatBytes, formatCount, formatDuration, formatMinutes } from "./numbers.js";
import { formatStatus, type Tone } from "./status.js";
import { brief, NOTHING, oneLine, textOf } from "./text.js";
import { type Clock, formatAgo, millisecondsOf } from "./time.js";

/** A value as it stands in a table, before a printer has escaped and aligned it. */
export interface Shown {
  /** Short, on one line, and never empty. */
  text: string;
  tone: Tone;
  /** What a time is in milliseconds since 1970; only for times. */
  time?: number;
  /** How far it is from now; only for times. */
  ago?: string;
  /** What tables sort by; only for numbers. */
  number?: number;
}

type Field = Pick<FieldColumn, "field" | "as">;

/** A field of an entry as people read it. What is missing gives a dash, what is of another type its text. */
export function show(entry: unknown, { field, as }: Field, clock: Clock): Shown {
  const value = fieldOf(entry, field);
  if (isMissing(value)) return plain(NOTHING);
  return writers[as].short(value, clock) ?? plain(brief(textOf(value), TEXT));
}

/** The same with nothing left out, as it stands where one entry is shown. */
export function showWhole(entry: unknown, { field, as }: Field, clock: Clock): string {
  const value = fieldOf(entry, field);
  if (isMissing(value)) return NOTHING;
  return writers[as].whole(value, clock) ?? textOf(value);
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === "";

const plain = (text: string): Shown => ({ text, tone: "plain" });

/** How values of a kind are written; `undefined` for what is not of the kind's type. */
interface Writer {
  short(value: unknown, clock: Clock): Shown | undefined;
  whole(value: unknown, clock: Clock): string | undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function number(short: (value: number) => string, whole: (value: number) => string = short): Writer {
  return {
    short: (value) => (isNumber(value) ? { text: short(value), tone: "plain", number: value } : undefined),
    whole: (value) => (isNumber(value) ? whole(value) : undefined),
  };
}

function string(short: (value: string) => string, whole: (value: string) => string = oneLine): Writer {
  return {
    short: (value) => (typeof value === "string" ? plain(short(value)) : undefined),
    whole: (value) => (typeof value === "string" ? whole(value) : undefined),
  };
}

const time: Writer = {
  short(value, clock) {
    const time = millisecondsOf(value);
    return time === undefined
      ? undefined
      : { text: clock.short(time), tone: "plain", time, ago: formatAgo(time, clock.now) };
  },
  whole(value, clock) {
    const time = millisecondsOf(value);
    return time === undefined ? undefined : `${clock.zoned(time)} · ${formatAgo(time, clock.now)} · ${textOf(value)}`;
  },
};

/** No answer at all is worse than any that was given, and is sorted there. */
const WORST = 1000;

const status: Writer = {
  short(value) {
    if (!isNumber(value)) return undefined;
    const { text, tone } = formatStatus(value);
    return { text, tone, number: value === 0 ? WORST : value };
  },
  whole: (value) => (isNumber(value) ? formatStatus(value).text : undefined),
};

/** Longest texts within a table. */
const ADDRESS = 48;
const TEXT = 40;

/** An address with its telling parts. */
export function briefAddress(address: string): string {
  const text = withoutScheme(address);
  return brief(text, ADDRESS, endOfAddress(text, ADDRESS)) || NOTHING;
}

/** A channel by its name alone: a key lists those of one project. */
export const briefChannel = (id: string): string => brief(splitChannel(id).name, TEXT) || NOTHING;

/** Many ids begin with when they were made: their first eight characters tell that, their last four which they are. */
const ID = { longest: 13, atEnd: 4 };

const writers: { readonly [Kind in ValueKind]: Writer } = {
  time,
  status,
  milliseconds: number(formatDuration, (value) => withExact(formatDuration(value), `${formatCount(value)} ms`)),
  minutes: number(formatMinutes, (value) => withExact(formatMinutes(value), `${formatCount(value)} min`)),
  bytes: number(formatBytes, (value) => {
    return withExact(formatBytes(value), `${formatCount(value)} B`, `${formatCount(value)} bytes`);
  }),
  count: number(formatCount),
  channel: string(briefChannel, channelWords),
  id: string((id) => brief(id, ID.longest, ID.atEnd)),
  address: string(briefAddress),
  text: string((text) => brief(text, TEXT)),
};

/** The exact value beside the one that is easy to read, where the two differ. */
function withExact(text: string, same: string, exact: string = same): string {
  return text === same ? text : `${text} (${exact})`;
}
