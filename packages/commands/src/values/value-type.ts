import type { LogKind } from "@media-ops/contract";
import { harmless, nearestOf, oneOfThese, quote, shorten, takes } from "../messages.js";
import { nameOf } from "../words.js";
import type { Zone } from "../zones.js";

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

/** The values of a type. */
export type ValueOf<V> = V extends ValueType<infer T> ? T : never;

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
type Choices<T extends string> = Readonly<Record<T, { readonly about: string; readonly aliases?: readonly string[] }>>;

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
      const word = forms.get(text.toLowerCase());
      if (word !== undefined) return understood(word);
      return refused(takes(subject, oneOfThese(words), text), forms.get(nearestOf(text, forms.keys()) ?? ""));
    },
    complete: () => words.map((word) => [word, choices[word].about]),
  };
}

/** A word that is there or not, such as `all`. */
export function flag(word: string, about: string): ValueType<true> {
  return {
    name: word,
    example: word,
    distinctive: true,
    choices: [word],
    parse(typed, { subject }) {
      // Terminal users may type it with two dashes, which phones turn into a long one.
      const name = typed.toLowerCase().replace(/^(?:--|—)/, "");
      if ([word, "yes", "true"].includes(name)) return understood(true);
      return refused(takes(subject, word, typed), nearestOf(name, [word]));
    },
    complete: () => [[word, about]],
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
