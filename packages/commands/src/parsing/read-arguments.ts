import type { Grammar, Parameter } from "../grammar.js";
import { kindNamed, kinds } from "../kinds.js";
import { quote, shorten } from "../quote.js";
import { isQuoted, nameOf, writeText } from "../words.js";
import { guess } from "./guess.js";
import { type Bare, type Fault, faultAt, faultWithHelp, isFlag, placeOf } from "./items.js";
import { isNeedless, leftoverFault, missingFault, namedFault } from "./loose-ends.js";
import { bareBehind, bareWords, type Finding, kindOf, type Reading, readValue, settle } from "./reading.js";

/** Reads the arguments that tell themselves, such as a kind, wherever they stand. */
export function readChoices(reading: Reading): void {
  for (const argument of reading.entry.arguments) {
    const finding = argument.value.telling && !reading.places.has(argument.member) && readChoice(reading, argument);
    if (finding) settle(reading, finding);
  }
}

function readChoice(reading: Reading, argument: Parameter): Finding | undefined {
  const { entry, draft, grammar } = reading;
  const words = bareWords(reading);
  const read = (word: Bare) => readValue(reading, argument, word, word, entry.spec.name);
  for (const word of words) {
    const found = read(word);
    if (found.read.ok) return { said: found.said, parameter: argument, value: found.read.value };
  }
  for (const word of words) {
    const { read: refused } = read(word);
    if (refused.ok || refused.nearest === undefined) continue;
    return { said: [word], fault: faultAt(draft, [word], refused.reason, writeText(refused.nearest)) };
  }
  if (!argument.required) return undefined;
  const missing = missingFault(reading, argument);
  const [first] = words;
  const refused = first && read(first).read;
  // logs summary: a command is no attempt at a kind.
  if (!refused || refused.ok || grammar.entryNamed(first.text)) return { said: [], fault: missing };
  // A word that may be anything may also be a kind: nobody can tell which. 404 can only be a status.
  const isSure = words.every((word) => isPlainlyNoKind(reading, word));
  const fault = isSure ? missing : faultWithHelp(grammar, [first], refused.reason, entry.spec.name);
  return { said: [first], fault: { ...fault, reason: refused.reason, at: placeOf([first]) } };
}

function isPlainlyNoKind({ entry, context, grammar }: Reading, word: Bare): boolean {
  return (
    grammar.entryNamed(word.text) !== undefined ||
    grammar.isKey(word.text) ||
    isNeedless(word) ||
    kinds.some((kind) => guess(word, entry, kind, context)?.likely === 3)
  );
}

/** Reads the other words that stand alone: into the arguments that take any text, in their order. */
export function readWords(reading: Reading): void {
  const { entry, draft } = reading;
  // Without a kind nobody can say what a word may mean.
  if (entry.spec.filters && !kindOf(reading)) return;
  for (const argument of entry.arguments) {
    if (argument.value.telling || reading.places.has(argument.member)) continue;
    const [first] = bareWords(reading);
    // A command alone may be a wish for a window; with other words on it, what is left open is said.
    const isNeeded = argument.required || (argument.open !== undefined && reading.draft.items.length > 0);
    if (first) settle(reading, readText(reading, argument, first));
    else if (isNeeded) settle(reading, { said: [], fault: missingFault(reading, argument) });
  }
  // Only the first fault is told.
  const [word] = bareWords(reading);
  if (!word) return;
  const fault = word.text.trim() === "" ? faultAt(draft, [word], EMPTY) : leftoverFault(reading, word);
  settle(reading, { said: [word], fault });
}

const EMPTY = "There is nothing between these quotes.";

function readText(reading: Reading, argument: Parameter, first: Bare): Finding {
  const { context, entry, draft } = reading;
  const { value: type, rest } = argument;
  const said = rest ? bareWords(reading) : [first];
  const refuse = (reason: string, nearest?: string): Finding => ({
    said,
    fault: faultAt(draft, said, reason, nearest && writeText(nearest)),
  });
  const text = said.map((word) => word.text).join(" ");
  // Leaving it out could mean more than was meant: a token for every channel.
  if (text.trim() === "") return refuse(EMPTY, rest || entry.spec.effect !== "reads" ? undefined : type.example);
  if (!rest && isFlag(first)) {
    const mended = entry.spec.effect === "reads" && /^-\p{L}/u.test(text) ? text.slice(1) : undefined;
    return refuse(`${entry.spec.name} takes no ${quote(text)}.`, mended);
  }
  if (!rest && entry.spec.effect !== "reads") {
    const question = questionIn(bareWords(reading), reading.grammar);
    if (question) return { said: bareWords(reading), fault: questionFault(reading, argument, question) };
  }
  // token for 10m: the word is the name of an option, and not of a channel.
  const unnamed = rest || !bareBehind(reading, first) ? undefined : namedFault(reading, first);
  if (unnamed) return { said: bareWords(reading), fault: unnamed };
  const read = type.parse(text, { ...context, subject: entry.spec.name });
  return read.ok ? { said, parameter: argument, value: read.value } : refuse(read.reason, read.nearest);
}

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
function questionIn(words: readonly Bare[], grammar: Grammar): Bare | undefined {
  return words.find((word) => !isQuoted(word) && isQuestion(word.text, grammar));
}

/** The answer to a question where a name was expected: help, and how such a name is typed. */
function questionFault({ entry, grammar }: Reading, { word, value }: Parameter, question: Bare): Fault {
  const whole = shorten(`${word}:${writeText(question.text)}`, 50);
  const reason = `${quote(question.text)} after ${entry.spec.name} looks like a question. If the ${value.name} is really called that, write ${whole}.`;
  return faultWithHelp(grammar, [question], reason, entry.spec.name);
}
