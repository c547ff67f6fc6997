import type { Tone } from "./show.js";
import { type Clock, clockFor, type TimeOptions } from "./time.js";

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

/** The parts of an answer that come from its options. */
export function answerFrame({ title = "", note = "", ...time }: AnswerOptions, otherwise: string) {
  return { clock: clockFor(time), title: title.trim() === "" ? otherwise : title, notes: [note] };
}
