import { type FieldSpec, fieldNamed } from "../filters/fields.js";
import { operatorNamed } from "../operators.js";
import { quote, shorten } from "../quote.js";
import { nameOf } from "../signs.js";
import { isQuoted, writeWord } from "../words.js";
import { type Fault, faultAt } from "./fault.js";
import { type Guess, guess } from "./guess.js";
import { type Bare, headOf, rawOf } from "./items.js";
import { kindOf, neighbour, type Reading } from "./reading.js";

const NEGATION = /^(?:not|no|without|except|excluding)$/;
const CONNECTION = /^(?:and|or|&+|\|+)$/;
const NEEDLESS = /^(?:a|all|by|for|from|having|in|me|of|only|please|that|the|to|where|which|with)$/;

/** Whether a word only makes a sentence of others. */
export function isNeedless(word: Bare): boolean {
  const name = isQuoted(word) ? "" : nameOf(word.text);
  return NEEDLESS.test(name) || CONNECTION.test(name) || NEGATION.test(name);
}

/** What is wrong with the words with which sentences are made: `and`, `or`, `not`, `where`. */
export function connectiveFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry } = reading;
  const name = isQuoted(word) ? "" : nameOf(word.text);
  if (entry.spec.filters && NEGATION.test(name)) return notFault(reading, word);
  if (entry.spec.filters && CONNECTION.test(name)) {
    const isOr = /^(?:or|\|+)$/.test(name);
    return listFault(reading, word, isOr) ?? connectionFault(reading, word, isOr);
  }
  return NEEDLESS.test(name) ? faultAt(draft, [word], `${quote(word.text)} is not needed.`) : undefined;
}

function connectionFault({ draft }: Reading, word: Bare, isOr: boolean): Fault {
  const rule = isOr
    ? `There is no ${quote(word.text)}: all filters must hold, and values of one field stand in a list, as in status:404,500.`
    : `${quote(word.text)} is not needed: all filters must hold.`;
  return faultAt(draft, [word], rule);
}

/** `not status:404` */
function notFault(reading: Reading, word: Bare): Fault {
  const { draft } = reading;
  const next = neighbour(reading, word, 1);
  const reason = `There is no ${quote(word.text)}: a minus stands before what must not hold, as in -status:404.`;
  const positive = next?.form === "keyed" ? !next.minus && rawOf(next) : next && guessed(reading, next)?.text;
  return next && positive ? faultAt(draft, [word, next], reason, `-${positive}`) : faultAt(draft, [word], reason);
}

/** `status:404 or 500`, `type:a or type:b` */
function listFault(reading: Reading, word: Bare, isOr: boolean): Fault | undefined {
  const [before, behind] = [neighbour(reading, word, -1), neighbour(reading, word, 1)];
  const kind = kindOf(reading);
  if (before?.form !== "keyed" || !behind || !kind) return undefined;
  const field = fieldNamed(kind, before.key);
  const compares = operatorNamed(before.operator)?.compares;
  if (!field || (compares !== "is" && compares !== "containing")) return undefined;
  const isMore =
    behind.form === "keyed" ? isOr && headOf(behind) === headOf(before) : isValueOf(reading, field, behind, isOr);
  if (!isMore) return undefined;
  const value = behind.form === "keyed" ? behind.value : behind;
  const whole = `${headOf(before)}${writeWord(before.value)},${writeWord(value)}`;
  const reason = `Values of one field stand in a list, as in ${shorten(whole, 50)}.`;
  return faultAt(reading.draft, [before, word, behind], reason, whole);
}

/** Whether a word may be another value of a field. Behind an "and", a text is more likely the rest of one: rock and roll. */
function isValueOf(reading: Reading, { name, type }: FieldSpec, word: Bare, isOr: boolean): boolean {
  if (type.is === "ordered") return type.read(word.text, { ...reading.context, subject: name }).ok;
  const meant = guessed(reading, word);
  return isOr && (meant?.likely !== 3 || meant.text.startsWith(name));
}

function guessed(reading: Reading, word: Bare): Guess | undefined {
  return guess(word, reading.entry, kindOf(reading), reading.context);
}
