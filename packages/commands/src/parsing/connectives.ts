import { operatorNamed } from "../filters/operators.js";
import { type FieldSpec, fieldNamed } from "../kinds.js";
import { quote, shorten } from "../messages.js";
import { isQuoted, nameOf, writeWord } from "../words.js";
import { type Bare, type Fault, faultAt, headOf, rawOf } from "./items.js";
import { type Guess, guess, kindOf, neighbour, type Reading } from "./reading.js";

const NEGATION = /^(?:not|no|without|except|excluding)$/;
const CONNECTION = /^(?:and|or|&+|\|+)$/;
const NEEDLESS = /^(?:a|all|by|for|from|having|in|me|of|only|please|that|the|to|where|which|with)$/;

/** Whether a word only connects others. */
export function isNeedless(word: Bare): boolean {
  const name = isQuoted(word) ? "" : nameOf(word.text);
  return NEEDLESS.test(name) || CONNECTION.test(name) || NEGATION.test(name);
}

/** Words that form sentences: `and`, `or`, `not`, `where`. */
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
    ? `${quote(word.text)} is not supported: all filters must match. List several values of one field with commas, as in status:404,500.`
    : `${quote(word.text)} is not needed: all filters must match.`;
  return faultAt(draft, [word], rule);
}

/** `not status:404` */
function notFault(reading: Reading, word: Bare): Fault {
  const { draft } = reading;
  const next = neighbour(reading, word, 1);
  const reason = `${quote(word.text)} is not supported. Put a minus before the filter, as in -status:404.`;
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
  const reason = `List several values of one field with commas, as in ${shorten(whole, 50)}.`;
  return faultAt(reading.draft, [before, word, behind], reason, whole);
}

/** Whether a word may be another value of a field. After "and", a text is more likely part of a name: rock and roll. */
function isValueOf(reading: Reading, { name, type }: FieldSpec, word: Bare, isOr: boolean): boolean {
  if (type.is === "ordered") return type.read(word.text, { ...reading.context, subject: name }).ok;
  const meant = guessed(reading, word);
  return isOr && (meant?.confidence !== 3 || meant.text.startsWith(name));
}

function guessed(reading: Reading, word: Bare): Guess | undefined {
  return guess(word, reading.entry, kindOf(reading), reading.context);
}
