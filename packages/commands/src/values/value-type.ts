import type { Zone } from "../times/zone.js";

/** A topic of the help. */
export interface Topic {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
}

/** What reading a value may depend on. */
export interface ReadContext {
  /** The present in milliseconds since 1970. */
  readonly now: number;
  /** Where the reader is. */
  readonly zone: Zone;
  /** What the value is for, as a sentence begins with it: `since`. */
  readonly subject: string;
  /** What there is help on. */
  readonly topics: readonly Topic[];
}

/** What describing a value may depend on. */
export interface DescribeContext {
  /** The present; without it no time is told as "last 2 hours". */
  readonly now: number | undefined;
  readonly zone: Zone;
}

/** Why a value was not understood. */
export interface Refused {
  readonly ok: false;
  /** A sentence that says what is wrong, and what would be right. */
  readonly reason: string;
  /** The nearest right value as it would be typed; without one the option is better left out. */
  readonly nearest?: string | undefined;
  /** What to offer help on instead, if no value is near and leaving the value out would change what was meant. */
  readonly help?: string | undefined;
}

export type Read<T> = { readonly ok: true; readonly value: T } | Refused;

/** A word to choose, and what it means. */
export type Choice = readonly [text: string, about: string];

/** What an argument or an option takes. One object of this kind can serve any number of commands. */
export interface ValueType<T> {
  /** What stands in its place in a usage line: `<kind>`. */
  readonly name: string;
  /** A value as it would be typed. */
  readonly example: string;
  /** Whether it may be typed as several words: `2 hours ago`. */
  readonly spaced?: boolean | undefined;
  /** Whether a word that can be read as this is likely meant as this: `recvonly` is a role, `lobby` may be anything. */
  readonly telling?: boolean | undefined;
  /** Whether a text can mean another value in another time zone: `09:00`. */
  readonly zoned?: boolean | undefined;
  /** All that may be typed, where that can be listed. */
  readonly choices?: readonly string[] | undefined;
  parse(text: string, context: ReadContext): Read<T>;
  /** What could be typed, whatever has been typed so far. */
  complete(context: ReadContext): readonly Choice[];
  /** The text that is read as this value, at any later time. */
  write(value: T): string;
  /** The value for people. */
  describe(value: T, context: DescribeContext): string;
}

/** What a value type gives. */
export type ValueOf<V> = V extends ValueType<infer T> ? T : never;

export function understood<T>(value: T): Read<T> {
  return { ok: true, value };
}

export function refused(reason: string, nearest?: string, help?: string): Refused {
  return { ok: false, reason, nearest, help };
}
