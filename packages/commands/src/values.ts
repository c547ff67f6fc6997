import type { LogKind } from "@media-ops/contract";
import {
  DAY_MS,
  type Direction,
  dayWords,
  describeDuration,
  describeWithin,
  readDuration,
  readMoment,
  splitZone,
  writeDuration,
  type Zone,
  zoneNamed,
  zoneTyped,
} from "./times.js";
import { harmless, nameOf, nearestOf, oneOfThese, quote, shorten, takes } from "./words.js";

/** A help topic. */
export interface Topic {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
}

/** The context for reading a value. */
export interface ReadContext {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  readonly zone: Zone;
  /** The name of the value, which begins messages: `since`. */
  readonly subject: string;
  readonly topics: readonly Topic[];
  /** The kind of log that the command names, if any. */
  readonly kind?: LogKind | undefined;
}

/** The context for describing a value. */
export interface DescribeContext {
  /** The current time; without it, no time reads as "last 2 hours". */
  readonly now: number | undefined;
  readonly zone: Zone;
}

/** Why a value was refused. */
export interface Refused {
  readonly ok: false;
  /** The problem and the expected value, in a sentence. */
  readonly reason: string;
  /** The value that was probably meant, as it would be typed. */
  readonly nearest?: string | undefined;
}

export type Read<T> = { readonly ok: true; readonly value: T } | Refused;

/** A suggested text and its meaning. */
export type Choice = readonly [text: string, about: string];

/** The type of an argument or option. One object can serve any number of commands. */
export interface ValueType<T> {
  /** The placeholder in a usage line: `<kind>`. */
  readonly name: string;
  /** A value as it would be typed. */
  readonly example: string;
  /** Whether a value may span several words: `2 hours ago`. */
  readonly spaced?: boolean | undefined;
  /** The names that a value begins with if it is a comparison, which would otherwise be a filter: `p95>2s`. */
  readonly compares?: readonly string[] | undefined;
  /** Whether a word of this type is recognizable without a name: `recvonly` is a role, `lobby` may be anything. */
  readonly distinctive?: boolean | undefined;
  /** Whether commas in its text separate values, so that they are not quoted. */
  readonly list?: boolean | undefined;
  /** Whether a text can mean another value in another time zone: `09:00`. */
  readonly zoned?: boolean | undefined;
  /** Whether a text is probably a mistyped or shortened one rather than a name. */
  readonly isNear?: ((text: string) => boolean) | undefined;
  /** All possible texts, if they can be listed. */
  readonly choices?: readonly string[] | undefined;
  parse(text: string, context: ReadContext): Read<T>;
  /** Reads a text after the name of the value, if `parse` refuses it. */
  readonly parseNamed?: ((text: string) => Read<T> | undefined) | undefined;
  /** The suggestions, independent of the typed text. */
  complete(context: ReadContext): readonly Choice[];
  /** The text that is read as this value, at any later time. */
  write(value: T): string;
  /** The value for people. */
  describe(value: T, context: DescribeContext): string;
}

/** A value that was read. */
export function understood<T>(value: T): Read<T> {
  return { ok: true, value };
}

/** A refusal, with the value that was probably meant. */
export function refused(reason: string, nearest?: string): Refused {
  return { ok: false, reason, nearest };
}

/** Texts that are written and described unchanged, without suggestions. */
const plainText = {
  complete: (): readonly Choice[] => [],
  write: (value: string) => value,
  describe: (value: string) => value,
};

/** Any text, unchanged. */
export function text(names: Pick<ValueType<string>, "name" | "example">): ValueType<string> {
  return { ...plainText, ...names, parse: understood, describe: (value) => harmless(shorten(value, 80)) };
}

/** The words of a choice, their meanings and aliases. */
export type Choices<T extends string> = Readonly<
  Record<T, { readonly about: string; readonly aliases?: readonly string[] }>
>;

/** One of a few words. */
export function oneOf<T extends string>(name: string, choices: Choices<T>): ValueType<T> {
  const words = Object.keys(choices).filter((word): word is T => Object.hasOwn(choices, word));
  const forms = new Map(words.flatMap((word) => [word, ...(choices[word].aliases ?? [])].map((form) => [form, word])));
  return {
    ...plainText,
    name,
    example: words[0] ?? "",
    distinctive: true,
    choices: words,
    parse(text, { subject }) {
      const word = forms.get(nameOf(text.trim()).replaceAll(/[\s_]+/g, "-"));
      if (word !== undefined) return understood(word);
      return refused(takes(subject, oneOfThese(words), text), forms.get(nearestOf(text, forms.keys()) ?? ""));
    },
    complete: () => words.map((word) => [word, choices[word].about]),
  };
}

/** A word that is there or not, such as `all`. */
export function flag(word: string, about: string): ValueType<true> {
  const choice = oneOf(word, { [word]: { about, aliases: ["yes", "true"] } });
  return {
    ...choice,
    parse(typed, context) {
      // Terminal users may type it with two dashes, which phones turn into a long one.
      const read = choice.parse(typed.replace(/^(?:--|—)/, ""), context);
      return read.ok ? understood(true) : read;
    },
    parseNamed: undefined,
    write: () => word,
    describe: () => about,
  };
}

/** The limits of a value, both included, and a value between them. */
export interface Limits {
  readonly min: number;
  readonly max: number;
  readonly example: string;
}

/** A whole number within limits. */
export function wholeNumber({ min, max, example }: Limits): ValueType<number> {
  return {
    name: "number",
    example,
    distinctive: true,
    parse(text, { subject }) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return understood(value);
      return refused(takes(subject, `a whole number from ${min} to ${max}`, text));
    },
    complete: () => [
      [example, `from ${min} to ${max}`],
      [`${max}`, "the most"],
    ],
    write: String,
    describe: String,
  };
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A UUID. */
export const uuid: ValueType<string> = {
  ...plainText,
  name: "uuid",
  example: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  distinctive: true,
  parse: (text, { subject }) =>
    UUID.test(text)
      ? understood(text)
      : refused(takes(subject, "a UUID, such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", text)),
};

/** The typed text for every channel. */
export const EVERY_CHANNEL = "*";

const name = text({ name: "channel", example: "lobby" });

/** A channel's name, or every channel. */
export const channel: ValueType<string> = {
  ...name,
  describe: (value, context) => (value === EVERY_CHANNEL ? "every channel" : name.describe(value, context)),
};

/** What can be traced: a channel's name, or an id, in full or shortened. */
export const traced: ValueType<string> = {
  ...text({ name: "channel or id", example: "lobby" }),
  // Dots or a star may be typed for the ellipsis of a shortened id.
  parse: (typed) => understood(typed.replace(/^([\dA-Z]{4,})(?:\.{2,}|‥|\*)(?=[\dA-Z]*$)/, "$1…")),
};

/** The topic that a text names. Of several words, such as `logs webhooks`, the last counts. */
export function topicNamed(text: string, topics: readonly Topic[]): string | undefined {
  const words = nameOf(text.trim())
    .replace(/\bmedia[\s_]+api/, "media-api")
    .split(/\s+/);
  const named = [words.join("-"), ...words].map(
    (word) => topics.find(({ name, aliases }) => name === word || aliases.includes(word))?.name,
  );
  const [whole, ...parts] = named;
  return whole ?? (parts.includes(undefined) ? undefined : parts.at(-1));
}

/** The topic that is nearest to a text. */
export function topicNear(text: string, topics: readonly Topic[]): string | undefined {
  const forms = topics.flatMap(({ name, aliases }) => [name, ...aliases]);
  return topicNamed(nearestOf(text, forms) ?? "", topics);
}

/** A help topic. */
export const topic: ValueType<string> = {
  ...plainText,
  name: "topic",
  example: "filters",
  parse(text, { topics }) {
    const named = topicNamed(text, topics);
    return named ? understood(named) : refused(`Unknown help topic ${quote(text)}.`, topicNear(text, topics));
  },
  complete: ({ topics }) => topics.map(({ name, about }) => [name, about]),
};

interface DurationOptions extends Limits {
  /** Whether descriptions are as after "within": `5 min`, `a minute`. @default false */
  readonly short?: boolean;
}

/** A duration: `10m`, `1d12h`, `2 hours`, in milliseconds. */
export function duration({ min, max, example, short = false }: DurationOptions): ValueType<number> {
  const isWithin = (text: string): boolean => {
    const ms = readDuration(text);
    return ms !== undefined && ms >= min && ms <= max;
  };
  return {
    name: "time",
    example,
    spaced: true,
    distinctive: true,
    parse(text, { subject }): Read<number> {
      const ms = readDuration(text);
      if (ms === undefined) {
        const such = oneOfThese(["10m", "2h", "30d"].filter(isWithin));
        return refused(`${takes(subject, `a duration, such as ${such}`, text)}${unitHint(text)}`);
      }
      if (ms < min) return refused(`${subject} must be at least ${describeDuration(min)}, not ${quote(text)}.`);
      if (ms > max) return refused(`${subject} must be at most ${describeDuration(max)}, not ${quote(text)}.`);
      return understood(Math.round(ms));
    },
    complete: () => usualDurations.filter(([text]) => isWithin(text)),
    write: writeDuration,
    describe: short ? describeWithin : describeDuration,
  };
}

const usualDurations: readonly Choice[] = [
  ["10m", "10 minutes"],
  ["1h", "an hour"],
  ["8h", "8 hours"],
  ["1d", "a day"],
  ["7d", "a week"],
];

/** A hint on units, for a number with a missing or unknown one. */
export function unitHint(text: string): string {
  if (/^\d+$/.test(text)) return " A number needs a unit.";
  return /^\d+(?:\.\d+)? ?[a-z]{1,6}$/i.test(text) ? " Units are ms, s, m, h, d and w." : "";
}

interface MomentOptions {
  /** The direction in which a time without a date is resolved. */
  readonly direction: Direction;
  readonly pastOnly: boolean;
  readonly example: string;
}

/** A time: `2h`, `yesterday`, `09:00`, `2026-11-20`, RFC 3339. In milliseconds since 1970. */
export function moment({ direction, pastOnly, example }: MomentOptions): ValueType<number> {
  return {
    name: "time",
    example,
    spaced: true,
    distinctive: true,
    zoned: true,
    parse(text, { subject, now, zone }) {
      const found = readMoment(text, { now, zone, direction });
      if (!found) return noTime(subject, text, direction);
      if (!pastOnly || found.from <= now) return understood(found.from);
      return refused(`${subject} must be in the past, but ${quote(text)} is in the future.`);
    },
    complete: () => choices[direction],
    write: (instant) => new Date(instant).toISOString(),
    describe: (instant, context) => describeMoment(instant, context),
  };
}

/** The refusal of a text that is no time. */
export function noTime(subject: string, text: string, direction: Direction = "back") {
  const [[first], [second]] = choices[direction];
  const wanted = `a time, such as ${first}, ${second}, 09:00 or 2026-11-20`;
  const isTime = readDuration(text) !== undefined || /^\d[\d:-]*[:-]\d+$/.test(text);
  const hint = isTime ? " There is no such time between 1970 and 9999." : unitHint(text);
  return refused(`${takes(subject, wanted, text)}${hint}`, nearestOf(text, dayWords));
}

/** A time zone: `Tokyo`, `Asia/Tokyo`, `+09:00`. By its IANA name, if it has one. */
export const timeZone: ValueType<string> = {
  name: "zone",
  example: "Tokyo",
  parse(text, { subject }) {
    const zone = zoneTyped(text);
    return zone
      ? understood(zone.name)
      : refused(takes(subject, "a time zone, such as Asia/Tokyo, Tokyo or +09:00", text));
  },
  complete: () => [
    ["UTC", "coordinated universal time"],
    ["Tokyo", "the time in a city"],
    ["Europe/Berlin", "an IANA name"],
  ],
  write: (name) => name,
  // The times in UTC say so themselves.
  describe: (name) => (name === "UTC" ? "" : name),
};

/** The name of the zone that a time is typed with, unless that is an instant of RFC 3339. */
export function zoneIn(time: string): string | undefined {
  return /\dt[\d:.]+z$/i.test(time) ? undefined : splitZone(time)?.zone.name;
}

/** The start of a period; a distance reads as a distance. */
export const since: ValueType<number> = {
  ...moment({ direction: "back", pastOnly: true, example: "2h" }),
  describe(instant, context) {
    const distance = distanceOf(instant, context);
    return distance ? `last ${distance.words}` : `since ${describeMoment(instant, context)}`;
  },
};

/** The excluded end of a period. It always has a time, so that a day does not read as the whole day. */
export const until: ValueType<number> = {
  ...moment({ direction: "back", pastOnly: false, example: "1h" }),
  describe: (instant, context) => describeMoment(instant, context, "none"),
};

const choices: Readonly<Record<Direction, readonly [Choice, Choice, ...Choice[]]>> = {
  back: [
    ["2h", "2 hours ago"],
    ["yesterday", "yesterday at midnight"],
    ["today", "today at midnight"],
    ["30m", "30 minutes ago"],
    ["1d", "24 hours ago"],
    ["7d", "7 days ago"],
    ["09:00", "the last nine o'clock"],
    ["monday", "midnight of the last Monday before today"],
  ],
  ahead: [
    ["2h", "in 2 hours"],
    ["tomorrow", "tomorrow at midnight"],
    ["30m", "in 30 minutes"],
    ["09:00", "the next nine o'clock"],
    ["monday", "the next Monday after today"],
  ],
};

/** The range in which each unit reads as a whole number; anything older reads as a clock time. */
const distances: readonly (readonly [ms: number, one: string, least: number, most: number])[] = [
  [DAY_MS, "day", 2, 60],
  [3_600_000, "hour", 1, 24],
  [60_000, "minute", 1, 120],
  [1000, "second", 1, 120],
];

// A request to the service may run between parsing "2h" and describing it.
const SLACK_MS = 10_000;

/** The period from a time to now that reads as a distance, with tolerance for the duration of a command. */
function distanceOf(instant: number, { now, zone }: DescribeContext): Distance | undefined {
  // A day reads as its date, even if it began a round number of hours ago.
  if (now === undefined || !describeMoment(instant, { now, zone }).includes(" ")) return undefined;
  // A typed clock time is a whole minute, and must not read as a relative time by chance.
  return inOneUnit(now - instant, instant % 60_000 === 0 ? 0 : SLACK_MS);
}

/** The length of a period that is described as "last 2 hours"; undefined if it is described by a clock time. */
export function roundPeriod(since: number, { now, timeZone }: { now: number; timeZone: string }): number | undefined {
  return distanceOf(since, { now, zone: zoneNamed(timeZone) })?.ms;
}

/** A period after "the last", as answers have it: `24 hours`, and `hour` for one unit. */
export function describePeriod(ms: number): string {
  return inOneUnit(ms, 0)?.words ?? describeDuration(ms);
}

interface Distance {
  readonly ms: number;
  /** `2 hours`, and `hour` for one. */
  readonly words: string;
}

/** A length as a whole number of one unit; undefined if none fits. */
function inOneUnit(length: number, slack: number): Distance | undefined {
  for (const [ms, one, least, most] of distances) {
    const count = Math.floor(length / ms);
    const isNear = count >= least && length - count * ms <= Math.min(slack, ms / 2);
    if (isNear && count <= most) return { ms: count * ms, words: count === 1 ? one : `${count} ${one}s` };
  }
  return undefined;
}

/** The moment of a day that reads as the day alone. */
export type Edge = "start" | "end" | "none";

/** `2026-11-20 09:00`, or the day alone at its edge. */
export function describeMoment(instant: number, { zone }: DescribeContext, edge: Edge = "start"): string {
  const wall = zone.wallAt(instant);
  const isEdge = edge !== "none" && (edge === "start" ? wall : wall + 1) % DAY_MS === 0;
  const [date = "", time = ""] = new Date(wall).toISOString().split("T");
  if (isEdge) return date;
  const clock = wall % 60_000 === 0 ? time.slice(0, 5) : time.slice(0, 8);
  return `${date} ${clock}${zone.name === "UTC" ? " UTC" : ""}`;
}
