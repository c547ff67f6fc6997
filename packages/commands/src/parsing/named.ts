import { type FieldSpec, fieldNamed } from "../filters/fields.js";
import { type Parameter, parametersNamed } from "../grammar.js";
import { operatorSpoken } from "../operators.js";
import { quote, shorten } from "../quote.js";
import { nameOf } from "../signs.js";
import { isQuoted, writeWord } from "../words.js";
import { type Fault, faultAt } from "./fault.js";
import { guess } from "./guess.js";
import type { Bare } from "./items.js";
import { faultOfEmpty, faultOfValue, isOfOthers } from "./read-options.js";
import { bareBehind, kindOf, type Reading, readValue } from "./reading.js";

/** What is wrong where a name has lost its value, or what stands between the two: `since`, `in demo`, `status 404`. */
export function namedFault(reading: Reading, word: Bare): Fault | undefined {
  if (isQuoted(word)) return undefined;
  const kind = reading.entry.spec.filters ? kindOf(reading) : undefined;
  const [parameter] = parametersNamed(reading.entry, word.text);
  const field = kind && fieldNamed(kind, word.text);
  if (parameter && !isOfOthers(reading, word.text)) return parameterFault(reading, word, parameter);
  return field && fieldFault(reading, word, field);
}

function parameterFault(reading: Reading, word: Bare, parameter: Parameter): Fault {
  const { draft } = reading;
  const { word: name, value: type } = parameter;
  const value = bareBehind(reading, word);
  if (!value) {
    const reason = `${quote(word.text)} needs a value, as in ${name}:${type.example}.`;
    return faultOfEmpty(reading, [word], reason, parameter);
  }
  const { read, said } = readValue(reading, parameter, value, value, name);
  if (read.ok) {
    const whole = `${name}:${writeWord(value)}`;
    return faultAt(draft, [word, value], `A colon is missing: did you mean ${shorten(whole, 50)}?`, whole);
  }
  // token for lobby: the value is right, and the name is not.
  if (isForItself(reading, value)) return faultAt(draft, [word], read.reason);
  return faultOfValue(reading, parameter, [word, ...said], read);
}

/** Whether a word means something without the name before it. */
function isForItself({ entry, places, context }: Reading, word: Bare): boolean {
  const takesText = entry.arguments.some(({ value, member }) => !value.telling && !places.has(member));
  return takesText || guess(word, entry, undefined, context) !== undefined;
}

function fieldFault(reading: Reading, word: Bare, { name, operator, examples: [example] }: FieldSpec): Fault {
  const { draft, filters } = reading;
  const value = bareBehind(reading, word);
  if (!value) {
    const whole = `${name}${operator}${example?.[0] ?? "…"}`;
    const isTold = !example || filters.some(({ field }) => field === name);
    return faultAt(draft, [word], `${quote(word.text)} needs a value, as in ${whole}.`, isTold ? undefined : whole);
  }
  const spoken = operatorSpoken(nameOf(value.text));
  const behind = spoken ? bareBehind(reading, value) : undefined;
  // A status is looked up more often than compared.
  const meant = (behind && spoken) ?? (name === "status" ? ":" : operator);
  const whole = `${name}${meant}${writeWord(behind ?? value)}`;
  const reason = `${meant === ":" ? "A colon" : "A comparison"} is missing: did you mean ${shorten(whole, 50)}?`;
  return faultAt(draft, behind ? [word, value, behind] : [word, value], reason, whole);
}
