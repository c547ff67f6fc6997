import type { Grammar, Parameter } from "../grammar.js";
import { kinds } from "../kinds.js";
import { quote, shorten } from "../messages.js";
import { isQuoted, nameOf, writeText } from "../words.js";
import { isNeedless } from "./connectives.js";
import { type Bare, type Fault, faultAt, faultWithHelp, isFlag, rangeOf } from "./items.js";
import { leftoverFault, missingFault, namedFault } from "./loose-ends.js";
import { isQuestion } from "./questions.js";
import { bareBehind, bareWords, type Finding, guess, kindOf, type Reading, readValue, record } from "./reading.js";
import { namesAmong, sentenceFault } from "./sentences.js";

/** Reads the arguments that are recognizable without a name, such as a kind, in any position. */
export function readChoices(reading: Reading): void {
  for (const argument of reading.entry.arguments) {
    const finding =
      argument.value.distinctive && !reading.sources.has(argument.member) && readChoice(reading, argument);
    if (finding) record(reading, finding);
  }
}

function readChoice(reading: Reading, argument: Parameter): Finding | undefined {
  const { entry, draft, grammar } = reading;
  const takesName = entry.arguments.some(({ value }) => !value.distinctive);
  // In quotes, a word is a name if there may be one.
  const words = bareWords(reading).filter((word) => !takesName || !isQuoted(word));
  const read = (word: Bare) => readValue(reading, argument, word, word, entry.spec.name);
  for (const word of words) {
    const found = read(word);
    if (found.read.ok) return { used: found.used, parameter: argument, value: found.read.value };
  }
  for (const word of takesName ? [] : words) {
    const { read: refused } = read(word);
    if (refused.ok || refused.nearest === undefined || isOption(reading, word)) continue;
    return { used: [word], fault: faultAt(draft, [word], refused.reason, writeText(refused.nearest)) };
  }
  if (!argument.required) return undefined;
  const missing = missingFault(reading, argument);
  const [first] = words;
  const refused = first && read(first).read;
  // "logs summary": a command name is not a mistyped kind.
  if (!refused || refused.ok || grammar.entryNamed(first.text)) return { used: [], fault: missing };
  // An ambiguous word may also be a kind. 404 can only be a status.
  const isSure = words.every((word) => isPlainlyNoKind(reading, word));
  const fault = isSure ? missing : faultWithHelp(grammar, [first], refused.reason, entry.spec.name);
  return { used: [first], fault: { ...fault, reason: refused.reason, at: rangeOf([first]) } };
}

/** Whether a word is unmistakably the value of an option that lacks its name: an id, a type. */
function isOption({ entry: { options } }: Reading, word: Bare): boolean {
  return options.some(({ value, words }) => value.isSure?.(word.text) || words.includes(nameOf(word.text)));
}

function isPlainlyNoKind({ entry, context, grammar }: Reading, word: Bare): boolean {
  return (
    grammar.entryNamed(word.text) !== undefined ||
    grammar.isKey(word.text) ||
    isNeedless(word) ||
    kinds.some((kind) => guess(word, entry, kind, context)?.confidence === 3)
  );
}

/** Reads the other single words, in order, into the arguments that accept any text. */
export function readWords(reading: Reading): void {
  const { entry, draft } = reading;
  // The meaning of a word depends on the kind.
  if (entry.spec.filters && !kindOf(reading)) return;
  for (const argument of entry.arguments) {
    if (argument.value.distinctive || reading.sources.has(argument.member)) continue;
    const words = argument.sentences === undefined ? bareWords(reading) : namesAmong(reading, argument);
    const fault = argument.sentences === undefined ? undefined : sentenceFault(reading, argument, words);
    if (fault) {
      record(reading, { used: words, fault });
      return;
    }
    const [first] = words;
    // A command without arguments may open a form; with other words, an omitted argument must be explicit.
    const isNeeded = argument.required || (argument.open !== undefined && reading.draft.items.length > 0);
    if (first) record(reading, readText(reading, argument, first));
    else if (isNeeded) record(reading, { used: [], fault: missingFault(reading, argument) });
  }
  // Only the first fault is reported.
  const [word] = bareWords(reading);
  if (!word) return;
  const fault = word.text.trim() === "" ? faultAt(draft, [word], EMPTY) : leftoverFault(reading, word);
  record(reading, { used: [word], fault });
}

const EMPTY = "The quotes are empty.";

function readText(reading: Reading, argument: Parameter, first: Bare): Finding {
  const { context, entry, draft } = reading;
  const { value: type, rest } = argument;
  const used = rest ? bareWords(reading) : [first];
  const refuse = (reason: string, nearest?: string): Finding => ({
    used,
    fault: faultAt(draft, used, reason, nearest && writeText(nearest)),
  });
  const text = used.map((word) => word.text).join(" ");
  // Removing it could widen the command: a token for every channel.
  if (text.trim() === "") return refuse(EMPTY, rest || entry.spec.effect !== "reads" ? undefined : type.example);
  if (!rest && isFlag(first)) {
    const mended = entry.spec.effect === "reads" && /^-\p{L}/u.test(text) ? text.slice(1) : undefined;
    return refuse(`${entry.spec.name} takes no ${quote(text)}.`, mended);
  }
  if (!rest && entry.spec.effect !== "reads") {
    const question = questionIn(bareWords(reading), reading.grammar);
    if (question) return { used: bareWords(reading), fault: questionFault(reading, argument, question) };
  }
  // "token for 10m": the word is the name of an option, not a channel.
  const unnamed = rest || !bareBehind(reading, first) ? undefined : namedFault(reading, first);
  if (unnamed) return { used: bareWords(reading), fault: unnamed };
  const near = rest || isQuoted(first) ? undefined : nearFault(reading, argument, first);
  if (near) return { used, fault: near };
  const read = type.parse(text, { ...context, subject: entry.spec.name });
  return read.ok ? { used, parameter: argument, value: read.value } : refuse(read.reason, read.nearest);
}

/** The first word that is a question. Quotes, or the argument's name before it, mark a word as a name. */
function questionIn(words: readonly Bare[], grammar: Grammar): Bare | undefined {
  return words.find((word) => !isQuoted(word) && isQuestion(word.text, grammar));
}

/** A mistyped or shortened id in place of a name: nothing of that name is meant. */
function nearFault({ entry, grammar, sources }: Reading, argument: Parameter, word: Bare): Fault | undefined {
  const meant = [...entry.arguments, ...entry.options].find(
    ({ member, value }) => !sources.has(member) && value.isNear?.(word.text),
  );
  if (!meant) return undefined;
  const isOption = entry.options.includes(meant);
  const rule = isOption ? `: write ${meant.word}: before it` : ", but is not a whole one";
  const whole = shorten(`${argument.word}:${writeText(word.text)}`, 50);
  const reason = `${quote(word.text)} looks like a ${meant.value.name}${rule}. If it is the ${argument.value.name}'s name, write ${whole}.`;
  return faultWithHelp(grammar, [word], reason, entry.spec.name);
}

/** The answer to a question in place of a name: help, and how to type such a name. */
function questionFault({ entry, grammar }: Reading, { word, value }: Parameter, question: Bare): Fault {
  const whole = shorten(`${word}:${writeText(question.text)}`, 50);
  const reason = `${quote(question.text)} after ${entry.spec.name} looks like a question. If the ${value.name} is really called that, write ${whole}.`;
  return faultWithHelp(grammar, [question], reason, entry.spec.name);
}
