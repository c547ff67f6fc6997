import type { FieldColumn, ValueKind } from "../columns.js";
import { fieldOf } from "./field.js";
import { formatBytes, formatCount, formatDuration, formatMinutes } from "./numbers.js";
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

/** How something went. */
export type Tone = "good" | "notice" | "bad" | "plain";

/** An HTTP status with a mark that says without colour how it went; 0 is no answer at all. */
export function formatStatus(status: number): { text: string; tone: Tone } {
  if (status === 0) return { text: "✗ no answer", tone: "bad" };
  if (status >= 500) return { text: `✗ ${status}`, tone: "bad" };
  if (status >= 400) return { text: `▲ ${status}`, tone: "bad" };
  if (status >= 300) return { text: `→ ${status}`, tone: "notice" };
  if (status >= 200) return { text: `✓ ${status}`, tone: "good" };
  return { text: String(status), tone: "plain" };
}

/**
 * Whether a status stands for a failure: refused, failed, or not answered.
 *
 * @param from The lowest status that does; 500 leaves out what was refused because of the caller's own mistake.
 */
export const isFailure = (status: number, from = 400): boolean => status === 0 || status >= from;

/** The two halves of a channel id. */
interface ChannelParts {
  name: string;
  /** Absent where the id names no project. */
  project?: string;
}

/** Splits `<channel name>@<project>` at the last `@`: a channel's name may hold any character, a project's id none. */
export function splitChannel(channelId: string): ChannelParts {
  const at = channelId.lastIndexOf("@");
  return at === -1 ? { name: channelId } : { name: channelId.slice(0, at), project: channelId.slice(at + 1) };
}

/** A channel as a person says it: its name, and the project that it is in. */
export function channelWords(channelId: string): string {
  const { name, project } = splitChannel(channelId);
  return project ? `${textOf(name)} (project ${oneLine(project)})` : textOf(name);
}

/** An address without what most begin with, which says nothing. */
export const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, "");

/**
 * How many of an address's last characters to keep where it is cut to `longest`. What tells receivers from each other is
 * how the host begins, its port, and how the path ends: a short path stays whole with the port before it.
 */
export function endOfAddress(address: string, longest: number): number {
  const [host = ""] = address.split("/", 1);
  const port = /:\d{1,5}$/.exec(host)?.[0] ?? "";
  const tail = port.length + address.length - host.length;
  const room = longest - 1;
  // A third is left for the host at least.
  return tail > 0 && tail <= (room * 2) / 3 ? tail : Math.floor(room / 2);
}
