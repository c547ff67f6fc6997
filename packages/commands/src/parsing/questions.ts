import type { Grammar, Parameter } from "../grammar.js";
import { kindNamed } from "../kinds.js";
import { quote, shorten } from "../quote.js";
import { nameOf } from "../signs.js";
import { isQuoted, writeText } from "../words.js";
import { type Fault, faultWithHelp } from "./fault.js";
import type { Bare } from "./items.js";
import type { Reading } from "./reading.js";

/** Words that ask for something, or for another action. A person who types one of them alone names nothing. */
const QUESTIONS: ReadonlySet<string> = new Set(
  [
    "what who whom whose which when where why how is are am was do does did can could may should will would",
    "list ls show see view print display get find search look lookup query read open fetch describe explain",
    "help info about usage example examples manual version state stats check verify validate inspect decode parse",
    "debug history count all any every each everyone everybody everything none mine my me us",
    "revoke invalidate expire expired cancel stop end kill delete del remove rm drop destroy forget clear reset undo",
    "disable enable block ban renew refresh extend rotate change edit update set rename move copy share send",
    "new create make add generate gen mint issue give want need please again another same last latest recent",
    "it this that these those them the a an",
  ].flatMap((words) => words.split(" ")),
);

const ENDS_AS_QUESTION = /[?？]$/;

/** Whether a word asks for something when it stands where a command that makes or deletes takes a name. */
export function isQuestion(text: string, { entryNamed, entryAsked }: Grammar): boolean {
  const name = nameOf(text);
  return (
    QUESTIONS.has(name) ||
    ENDS_AS_QUESTION.test(text) ||
    entryNamed(name) !== undefined ||
    entryAsked(name) !== undefined ||
    kindNamed(name) !== undefined
  );
}

/** The first word that asks for something. Quotes around a word, or its argument's name before it, say that it is a name. */
export function questionIn(words: readonly Bare[], grammar: Grammar): Bare | undefined {
  return words.find((word) => !isQuoted(word) && isQuestion(word.text, grammar));
}

/** The answer to a question where a name was expected: help, and how such a name is typed. */
export function questionFault({ entry, grammar }: Reading, { word, value }: Parameter, question: Bare): Fault {
  const whole = shorten(`${word}:${writeText(question.text)}`, 50);
  const reason = `${quote(question.text)} after ${entry.spec.name} looks like a question. If the ${value.name} is really called that, write ${whole}.`;
  return faultWithHelp(grammar, [question], reason, entry.spec.name);
}
