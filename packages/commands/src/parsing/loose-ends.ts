import { type FieldSpec, fieldNamed, kindsWith } from "../filters/fields.js";
import { type Parameter, parametersNamed } from "../grammar.js";
import { type LogKind, likelyKinds } from "../kinds.js";
import { operatorNamed, operatorSpoken } from "../operators.js";
import { oneOfThese, quote, shorten } from "../quote.js";
import { readMoment } from "../times/read-moment.js";
import { isQuoted, nameOf, plain, writeText, writeWord } from "../words.js";
import { type Guess, guess } from "./guess.js";
import {
  type Bare,
  type Fault,
  faultAt,
  faultOfMissing,
  faultWithHelp,
  headOf,
  type Item,
  isFlag,
  type Keyed,
  rawOf,
  textOf,
} from "./items.js";
import { faultOfEmpty, faultOfValue, isOfOthers } from "./read-options.js";
import { bareBehind, kindOf, neighbour, type Reading, readValue } from "./reading.js";

/** What is wrong where an argument is missing. */
export function missingFault(reading: Reading, argument: Parameter): Fault {
  const { name, example, choices } = argument.value;
  const { draft, entry, grammar, left } = reading;
  const command = entry.spec.name;
  const wanted = choices ? `: ${oneOfThese(choices)}` : `, such as ${example}`;
  const open = argument.open === undefined ? "" : `; ${argument.word}:${argument.open} is every ${name}`;
  const reason = `${command} needs a ${name}${wanted}${open}.`;
  // c:onnections may be anything, a kind as well.
  const isUnclear = [...left].some((item) => item.form === "keyed" && kindsWith(item.key).length === 0);
  if (entry.spec.effect !== "reads" || isUnclear) return faultWithHelp(grammar, [], reason, command);
  return faultOfMissing(draft, reason, argument.member === "kind" ? preferredKind(reading) : example);
}

/** The kind that suits best what else was typed. */
function preferredKind({ draft, entry, grammar, context, left }: Reading): LogKind {
  const suits = (item: Item, kind: LogKind): number => {
    if (!left.has(item)) return 0;
    if (item.form === "keyed") return fieldNamed(kind, item.key) ? 3 : 0;
    return grammar.entryNamed(item.text) ? 0 : (guess(item, entry, kind, context)?.likely ?? 0);
  };
  const scores = likelyKinds.map((kind) => draft.items.reduce((sum, item) => sum + suits(item, kind), 0));
  return likelyKinds[scores.indexOf(Math.max(...scores))] ?? "webhooks";
}

/** What is wrong with a word that stands alone and fits nowhere. */
export function leftoverFault(reading: Reading, word: Bare): Fault {
  const { draft, entry } = reading;
  const [named, cut] = [namedFault(reading, word), cutValueFault(reading, word)];
  // Before another word, one is more likely a name, or a part of one: house of cards.
  const isBefore = bareBehind(reading, word) !== undefined;
  return (
    // In the project demo, or in Tokyo?
    (/^in$/i.test(word.text) ? afterTimeFault(reading, word) : undefined) ??
    misnamedFault(reading, word) ??
    (isBefore ? named : undefined) ??
    choiceFault(reading, word) ??
    commandFault(reading, word) ??
    (isBefore && !/^or$/i.test(word.text) ? cut : undefined) ??
    connectiveFault(reading, word) ??
    cut ??
    named ??
    afterTimeFault(reading, word) ??
    joinedFault(reading, word) ??
    aloneFault(reading, word) ??
    twiceFault(reading, word) ??
    faultAt(draft, [word], `${entry.spec.name} takes no ${quote(word.text)}.`)
  );
}

/** What is wrong where a word tells what has been told already: `logs webhooks sessions`. */
function choiceFault({ draft, entry, context, places }: Reading, word: Bare): Fault | undefined {
  const argument = entry.arguments.find(
    ({ value, member }) => value.telling && places.has(member) && value.parse(word.text, context).ok,
  );
  return (
    argument &&
    faultAt(draft, [word], `${entry.spec.name} takes one ${argument.value.name}: ${quote(word.text)} is one too many.`)
  );
}

/** What is wrong where a command stands behind another: `webhooks summary`. */
function commandFault({ draft, entry, grammar }: Reading, word: Bare): Fault | undefined {
  const other = entry.spec.filters ? grammar.entryNamed(word.text) : undefined;
  if (!other?.spec.filters) return undefined;
  if (other === grammar.implied || other === entry) return faultAt(draft, [word], `${quote(word.text)} is not needed.`);
  const reason = `${quote(word.text)} is a command, and comes first.`;
  return faultAt({ head: other.spec.name, items: draft.items }, [word], reason);
}

/** What is wrong where a value has blanks: `token main hall`, `channel:main hall`. */
function cutValueFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, places, context } = reading;
  const isOther = isFlag(word) || guess(word, entry, undefined, context) !== undefined;
  const before = isOther ? undefined : neighbour(reading, word, -1);
  const parameter = [...entry.arguments, ...entry.options].find(
    ({ value, member }) => !value.telling && before && places.get(member)?.includes(before),
  );
  const field = before?.form === "keyed" ? filterField(reading, before) : undefined;
  const name = parameter?.value.name ?? (field?.type.is === "text" ? field.name : undefined);
  if (!before || name === undefined) return undefined;
  const reason = `${quote(word.text)} is one word too many: a ${name} with blanks needs quotes.`;
  const head = before.form === "keyed" ? headOf(before) : "";
  const value = before.form === "keyed" ? before.value : before;
  // A quoted blank keeps the two together.
  const whole = { text: `${value.text} ${word.text}`, marks: `${value.marks}q${word.marks}` };
  return faultAt(draft, [before, word], reason, `${head}${field ? writeWord(whole) : writeText(whole.text)}`);
}

/** What is wrong with a word behind a time by the clock or the calendar, which may be its zone: `14:00 Tokyo`. */
function afterTimeFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, grammar, places, context } = reading;
  const before = draft.items.slice(0, draft.items.indexOf(word));
  const last = before.at(-1);
  const mayBeTime = /^\d+$/.test(word.text) || readMoment(word.text, { ...context, looking: "back" }) !== undefined;
  const isOther = !mayBeTime && guess(word, entry, kindOf(reading), context)?.likely === 3;
  if (!last || isQuoted(word) || isOther) return undefined;
  const option = entry.options.find(({ value, member }) => value.zoned && places.get(member)?.includes(last));
  const keyed = before.filter(({ form }) => form === "keyed").at(-1);
  const field = keyed?.form === "keyed" ? filterField(reading, keyed) : undefined;
  const isTime = option !== undefined || (field?.type.is === "ordered" && field.type.isTime);
  const said = (option && places.get(option.member)) ?? before.slice(keyed ? before.indexOf(keyed) : 0);
  const text = said.map((item) => (item.form === "keyed" ? item.value.text : item.text)).join(" ");
  // 2 hours are 2 hours everywhere.
  if (!isTime || readMoment(text, { ...context, looking: "back" })?.relative) return undefined;
  const reason = `${quote(word.text)} is no part of a time. Times are in your own zone, or end in UTC or an offset, as in 2026-11-20T09:00+09:00.`;
  return faultWithHelp(grammar, [word], reason, "times");
}

/** What is wrong where a name that nobody knows stands before a comparison: `unti :09:00`. */
function misnamedFault(reading: Reading, word: Bare): Fault | undefined {
  const next = neighbour(reading, word, 1);
  const isNamed = next?.form === "bare" && /^[:=]./.test(plain(next.text)) && !isQuoted(next) && !isQuoted(word);
  if (!isNamed) return undefined;
  const reason = `${quote(word.text)} is neither a filter nor an option.`;
  return faultWithHelp(reading.grammar, [word, next], reason, reading.entry.spec.name);
}

/** What is wrong where a name and its value are hard to tell apart: `since2h`, `.until:2h`. */
function joinedFault(reading: Reading, word: Bare): Fault | undefined {
  const { entry, grammar, context } = reading;
  if (isQuoted(word) || guess(word, entry, kindOf(reading), context)?.likely === 3) return undefined;
  // Without it, the command might be about another period.
  if (/[:=](?!\/\/)/.test(plain(word.text).slice(1)) && !/:\/\//.test(word.text)) {
    const reason = `${quote(word.text)} is neither a filter nor an option.`;
    return faultWithHelp(grammar, [word], reason, entry.spec.name);
  }
  const typed = word.text.toLowerCase();
  const option = entry.options.find((one) => one.value.zoned && typed.includes(one.word));
  if (!option) return undefined;
  const reason = `${quote(word.text)} is not understood; a time is written ${option.word}:${option.value.example}.`;
  return faultWithHelp(grammar, [word], reason, "times");
}

/** What is wrong where a text has been given already: `token lobby for:10m hall`. */
function twiceFault({ draft, entry, places }: Reading, word: Bare): Fault | undefined {
  if (isFlag(word)) return undefined;
  const argument = entry.arguments.find(({ value, member }) => !value.telling && places.has(member));
  return argument && faultAt(draft, [word], `${argument.word} is given twice: ${quote(word.text)} is one too many.`);
}

/** What is wrong with a word that lacks a name: `logs webhooks 404`, `token lobby 10 minutes`. */
function aloneFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, context, values } = reading;
  const option = entry.options
    .filter(({ value, member }) => value.spaced && value.telling && !values.has(member))
    .map((parameter) => ({ parameter, ...readValue(reading, parameter, word, word, parameter.word) }))
    .find(({ read, said }) => read.ok && said.length > 1);
  const meant = option
    ? `${option.parameter.word}:${option.said.map(textOf).join(" ")}`
    : guess(word, entry, kindOf(reading), context)?.text;
  const said = option?.said ?? [word];
  const typed = quote(said.map(textOf).join(" "));
  return meant === undefined
    ? undefined
    : faultAt(draft, said, `${typed} stands alone: did you mean ${shorten(meant, 50)}?`, meant);
}

function filterField(reading: Reading, { key }: Keyed): FieldSpec | undefined {
  const kind = reading.entry.spec.filters ? kindOf(reading) : undefined;
  return kind && fieldNamed(kind, key);
}

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

const NEGATION = /^(?:not|no|without|except|excluding)$/;
const CONNECTION = /^(?:and|or|&+|\|+)$/;
const NEEDLESS = /^(?:a|all|by|for|from|having|in|me|of|only|please|that|the|to|where|which|with)$/;

/** Whether a word only makes a sentence of others. */
export function isNeedless(word: Bare): boolean {
  const name = isQuoted(word) ? "" : nameOf(word.text);
  return NEEDLESS.test(name) || CONNECTION.test(name) || NEGATION.test(name);
}

/** What is wrong with the words with which sentences are made: `and`, `or`, `not`, `where`. */
function connectiveFault(reading: Reading, word: Bare): Fault | undefined {
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
