import type { Tone } from "./show.js";
import { type Clock, clockFor, oneLine, type TimeOptions } from "./words.js";

/** The options of every printed result. */
export interface AnswerOptions extends TimeOptions {
  /** The title, such as the query in words. @default the name of the result */
  title?: string | undefined;
  /** A note below. @default none */
  note?: string | undefined;
}

/** What every printed result has, before a medium lays it out. Its texts contain untrusted names, which are not escaped. */
export interface Answer {
  clock: Clock;
  /** What was not searched, which stands before everything else. @default all was */
  incomplete?: string;
  title: string;
  /** The result in a sentence. */
  words: string;
  /** @default "plain" */
  tone?: Tone;
  /** Small print below; empty texts are left out. */
  notes: readonly string[];
}

/** A property of a result, with its title. */
export interface Fact {
  title: string;
  text: string;
  /** A time in milliseconds since 1970, for printers that write times in their own way. */
  time?: number | undefined;
}

/** The parts of an answer that come from its options. */
export function answerFrame({ title = "", note = "", ...time }: AnswerOptions, otherwise: string) {
  return { clock: clockFor(time), title: title.trim() === "" ? otherwise : title, notes: [note] };
}

/**
 * A part of a sentence or a line: words, a name or id to copy, a time, or who requested something. Names and words
 * contain untrusted text, which is on one line and not escaped.
 */
type Part = string | { readonly name: string } | { readonly time: number } | { readonly person: string };

/** A sentence or a fact, which each printer writes in its own way. */
export type Phrase = readonly Part[];

/** Options of everything that names who requested something. */
export interface RequesterOptions {
  /**
   * Names who requested something, such as "Ann" for `slack:T0PLAY/U0ANN`. An empty text means the default.
   * @default the text of the service
   */
  nameOf?: ((requestedBy: string) => string) | undefined;
}

/** Who requested something, on one line. */
export const requesterName = (requestedBy: string, { nameOf }: RequesterOptions): string =>
  oneLine(nameOf?.(requestedBy) || requestedBy);

/** A phrase as plain text, with times in the clock's zone. */
export function phraseText(phrase: Phrase, clock: Clock, options: RequesterOptions = {}): string {
  return phrase
    .map((part) => {
      if (typeof part === "string") return part;
      if ("name" in part) return part.name;
      return "time" in part ? clock.short(part.time) : requesterName(part.person, options);
    })
    .join("");
}

/** What stands between the facts of a line. */
export const SEPARATOR = " · ";

/** A line of facts as plain text. */
export const lineText = (line: readonly Phrase[], clock: Clock, options: RequesterOptions = {}): string =>
  line.map((phrase) => phraseText(phrase, clock, options)).join(SEPARATOR);
