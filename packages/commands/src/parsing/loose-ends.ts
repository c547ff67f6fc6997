import type { LogKind } from "../api.js";
import { statusSaid } from "../filters/field-types.js";
import { operatorSpoken } from "../filters/operators.js";
import { type Parameter, parametersNamed } from "../grammar.js";
import { type FieldSpec, failureField, fieldNamed, kindsWith, likelyKinds } from "../kinds.js";
import { nearestOf, oneOfThese, quote, shorten } from "../messages.js";
import { readMoment } from "../times.js";
import { zoneProblem } from "../values/time-types.js";
import { isQuoted, nameOf, plain, writeText, writeWord } from "../words.js";
import { isZoneWord, splitZone, zoneNear } from "../zones.js";
import { connectiveFault } from "./connectives.js";
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
  textOf,
} from "./items.js";
import { faultOfEmpty, faultOfValue, isOfOthers, lifetimeFault } from "./read-keyed.js";
import { bareBehind, guess, kindOf, neighbour, type ReadItems, type Reading, readValue } from "./reading.js";
import { sentenceWordFault } from "./sentences.js";
import { insteadWordFault } from "./unknown-key.js";

/** An argument is missing. */
export function missingFault(reading: Reading, argument: Parameter): Fault {
  const { name, example, choices } = argument.value;
  const { draft, entry, grammar, unread } = reading;
  const command = entry.spec.name;
  const wanted = choices ? `: ${oneOfThese(choices)}` : `, such as ${example}`;
  const open = argument.open === undefined ? "" : `; ${argument.word}:${argument.open} is every ${name}`;
  const reason = `${command} needs ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}${wanted}${open}.`;
  // "c:onnections" is ambiguous, and may even be a kind.
  const isUnclear = [...unread].some((item) => item.form === "keyed" && kindsWith(item.key).length === 0);
  // Nor is a name ever invented.
  const isName = !argument.value.distinctive;
  if (entry.spec.effect !== "reads" || isUnclear || isName) return faultWithHelp(grammar, [], reason, command);
  return faultOfMissing(draft, reason, argument.member === "kind" ? preferredKind(reading) : example);
}

/** The kind that suits the other words best. */
function preferredKind({ draft, entry, grammar, context, unread }: Reading): LogKind {
  const suits = (item: Item, kind: LogKind): number => {
    if (!unread.has(item)) return 0;
    const field = item.form === "keyed" ? fieldNamed(kind, item.key) : undefined;
    if (item.form === "keyed") return field ? (field.minor ? 2 : 3) : 0;
    return grammar.entryNamed(item.text) ? 0 : (guess(item, entry, kind, context)?.confidence ?? 0);
  };
  const scores = likelyKinds.map((kind) => draft.items.reduce((sum, item) => sum + suits(item, kind), 0));
  return likelyKinds[scores.indexOf(Math.max(...scores))] ?? "webhooks";
}

/** A word without a name fits nowhere. */
export function leftoverFault(reading: Reading, word: Bare): Fault {
  const { draft, entry } = reading;
  const [named, cut] = [namedFault(reading, word), cutValueFault(reading, word)];
  // Before another word, it is more likely a name or part of one: house of cards.
  const isBefore = bareBehind(reading, word) !== undefined;
  return (
    sentenceWordFault(reading, word) ??
    misspeltFault(reading, word) ??
    // "in" may precede a project or a time zone: "in demo", "in Tokyo".
    (/^in$/i.test(word.text) ? afterTimeFault(reading, word) : undefined) ??
    misnamedFault(reading, word) ??
    insteadWordFault(reading, word) ??
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

/** A value is given twice: `logs webhooks sessions`. */
function choiceFault({ draft, entry, context, sources }: Reading, word: Bare): Fault | undefined {
  const argument = entry.arguments.find(
    ({ value, member }) => value.distinctive && sources.has(member) && value.parse(word.text, context).ok,
  );
  return (
    argument &&
    faultAt(draft, [word], `${entry.spec.name} takes one ${argument.value.name}: ${quote(word.text)} is one too many.`)
  );
}

/** A word such as `all` is misspelt after a name: `tokens lobby al`. */
function misspeltFault({ draft, entry, sources }: Reading, word: Bare): Fault | undefined {
  const open = entry.arguments.filter(({ value, member }) => value.distinctive && !sources.has(member));
  const near = nearestOf(
    word.text.replace(/^[-—]+/, ""),
    open.flatMap(({ value }) => value.choices ?? []),
  );
  if (near === undefined || isQuoted(word)) return undefined;
  return faultAt(draft, [word], `Unexpected ${quote(word.text)}. Did you mean ${near}?`, near);
}

/** A command follows another: `webhooks summary`. */
function commandFault({ draft, entry, grammar }: Reading, word: Bare): Fault | undefined {
  const other = entry.spec.filters ? grammar.entryNamed(word.text) : undefined;
  if (!other?.spec.filters) return undefined;
  if (other === grammar.implied || other === entry) return faultAt(draft, [word], `${quote(word.text)} is not needed.`);
  const reason = `${quote(word.text)} is a command and must come first.`;
  return faultAt({ head: other.spec.name, items: draft.items }, [word], reason);
}

/** A value has spaces: `token main hall`, `channel:main hall`. */
function cutValueFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, sources, context } = reading;
  const isOutcome = canFail(reading) && statusSaid(plain(word.text)) !== undefined;
  const isValue = spacedOption(reading, word) ?? guess(word, entry, undefined, context);
  const isOther = isOutcome || isFlag(word) || isValue !== undefined;
  const before = isOther ? undefined : neighbour(reading, word, -1);
  const parameter = [...entry.arguments, ...entry.options].find(
    ({ value, member }) => !value.distinctive && before && sources.get(member)?.includes(before),
  );
  const field = before?.form === "keyed" ? filterField(reading, before) : undefined;
  const mayHaveSpaces = field?.type.is === "text" && field.type.values === undefined;
  const name = parameter?.value.name ?? (mayHaveSpaces ? field.name : undefined);
  if (!before || name === undefined) return undefined;
  const reason = `Unexpected ${quote(word.text)}: a ${name} with spaces needs quotes.`;
  const head = before.form === "keyed" ? headOf(before) : "";
  const value = before.form === "keyed" ? before.value : before;
  // The quoted space joins the two.
  const whole = { text: `${value.text} ${word.text}`, marks: `${value.marks}q${word.marks}` };
  return faultAt(draft, [before, word], reason, `${head}${field ? writeWord(whole) : writeText(whole.text)}`);
}

function canFail(reading: Reading): boolean {
  const kind = reading.entry.spec.filters ? kindOf(reading) : undefined;
  return kind !== undefined && failureField(kind) !== undefined;
}

/** A word after a clock time or date may be its time zone: `14:00 Tokyo`. */
function afterTimeFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, grammar, sources, context } = reading;
  const before = draft.items.slice(0, draft.items.indexOf(word));
  const last = before.at(-1);
  const mayBeTime = /^\d+$/.test(word.text) || readMoment(word.text, { ...context, direction: "back" }) !== undefined;
  const isOther = !mayBeTime && guess(word, entry, kindOf(reading), context)?.confidence === 3;
  if (!last || isQuoted(word) || isOther) return undefined;
  const option = entry.options.find(({ value, member }) => value.zoned && sources.get(member)?.includes(last));
  const keyed = before.filter(({ form }) => form === "keyed").at(-1);
  const field = keyed?.form === "keyed" ? filterField(reading, keyed) : undefined;
  const isTime = option !== undefined || (field?.type.is === "ordered" && field.type.isTime);
  const used = (option && sources.get(option.member)) ?? before.slice(keyed ? before.indexOf(keyed) : 0);
  const text = used.map((item) => (item.form === "keyed" ? item.value.text : item.text)).join(" ");
  if (!isTime) return undefined;
  if (readMoment(text, { ...context, direction: "back" })?.relative) {
    // 9m New York may be a mistyped 9am New York.
    const reason = `${quote(text)} is the same in every time zone, so ${quote(word.text)} cannot follow it.`;
    const isZone = !/^(?:in|time)$/i.test(word.text) && isZoneWord(word.text);
    return isZone ? faultWithHelp(grammar, [word], reason, "times") : undefined;
  }
  const second = bareBehind(reading, word);
  for (const words of [second ? [word, second] : [], [word]]) {
    const typed = words.map(textOf).join(" ");
    const near = splitZone(text) ? undefined : zoneNear(typed);
    const reason = `${quote(typed)} is not a time zone. Did you mean ${near}?`;
    if (near) return faultAt(draft, words, reason, near);
  }
  return faultWithHelp(grammar, [word], zoneProblem(word.text), "times");
}

/** An unknown name precedes a comparison: `unti :09:00`. */
function misnamedFault(reading: Reading, word: Bare): Fault | undefined {
  const next = neighbour(reading, word, 1);
  const isNamed = next?.form === "bare" && /^[:=]./.test(plain(next.text)) && !isQuoted(next) && !isQuoted(word);
  if (!isNamed) return undefined;
  const reason = `${quote(word.text)} is neither a filter nor an option.`;
  return faultWithHelp(reading.grammar, [word, next], reason, reading.entry.spec.name);
}

/** A name and its value run together: `since2h`, `.until:2h`. */
function joinedFault(reading: Reading, word: Bare): Fault | undefined {
  const { entry, grammar, context } = reading;
  if (isQuoted(word) || guess(word, entry, kindOf(reading), context)?.confidence === 3) return undefined;
  // Removing it could change the period.
  if (/[:=](?!\/\/)/.test(plain(word.text).slice(1)) && !/:\/\//.test(word.text)) {
    const reason = `${quote(word.text)} is neither a filter nor an option.`;
    return faultWithHelp(grammar, [word], reason, entry.spec.name);
  }
  const typed = word.text.toLowerCase();
  const option = entry.options.find((one) => one.value.zoned && typed.includes(one.word));
  if (!option) return undefined;
  const reason = `Cannot read ${quote(word.text)}. Write a time as ${option.word}:${option.value.example}.`;
  return faultWithHelp(grammar, [word], reason, "times");
}

/** A text is given twice: `token lobby for:10m hall`. */
function twiceFault({ draft, entry, sources }: Reading, word: Bare): Fault | undefined {
  if (isFlag(word)) return undefined;
  const argument = entry.arguments.find(({ value, member }) => !value.distinctive && sources.has(member));
  return argument && faultAt(draft, [word], `${argument.word} is given twice: ${quote(word.text)} is one too many.`);
}

/** A value lacks its name: `logs webhooks 404`, `token lobby 10 minutes`. */
function aloneFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry, grammar, context } = reading;
  if (grammar.entryNamed(word.text)) return undefined;
  const option = spacedOption(reading, word);
  const meant = option
    ? `${option.parameter.word}:${option.used.map(textOf).join(" ")}`
    : guess(word, entry, kindOf(reading), context)?.text;
  const used = option?.used ?? [word];
  const typed = quote(used.map(textOf).join(" "));
  return meant === undefined
    ? undefined
    : faultAt(draft, used, `${typed} needs a name before it. Did you mean ${shorten(meant, 50)}?`, meant);
}

/** The option whose value several words are: `2 hours`. */
function spacedOption(reading: Reading, word: Bare): (ReadItems<unknown> & { parameter: Parameter }) | undefined {
  const { entry, values } = reading;
  return entry.options
    .filter(({ value, member }) => value.spaced && value.distinctive && !values.has(member))
    .map((parameter) => ({ parameter, ...readValue(reading, parameter, word, word, parameter.word) }))
    .find(({ read, used }) => read.ok && used.length > 1);
}

function filterField(reading: Reading, { key }: Keyed): FieldSpec | undefined {
  const kind = reading.entry.spec.filters ? kindOf(reading) : undefined;
  return kind && fieldNamed(kind, key);
}

/** A name lacks its value, or the operator between the two: `since`, `in demo`, `status 404`. */
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
  const { read, used } = readValue(reading, parameter, value, value, name);
  if (read.ok) {
    const whole = `${name}:${writeWord(value)}`;
    return faultAt(draft, [word, value], `Missing colon. Did you mean ${shorten(whole, 50)}?`, whole);
  }
  // token for lobby: the value is right, the name is not.
  if (isForItself(reading, value)) return faultAt(draft, [word], read.reason);
  return faultOfValue(reading, parameter, [word, ...used], read);
}

/** Whether a word is valid without the name before it. */
function isForItself({ entry, sources, context }: Reading, word: Bare): boolean {
  const takesText = entry.arguments.some(({ value, member }) => !value.distinctive && !sources.has(member));
  return takesText || guess(word, entry, undefined, context) !== undefined;
}

function fieldFault(reading: Reading, word: Bare, field: FieldSpec): Fault {
  const { draft, filters } = reading;
  const {
    name,
    operator,
    examples: [example],
  } = field;
  const value = bareBehind(reading, word);
  const fault = value && lifetimeFault(reading, [word, value], field, value);
  if (fault) return fault;
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
  const reason = `Missing ${meant === ":" ? "colon" : "comparison"}. Did you mean ${shorten(whole, 50)}?`;
  return faultAt(draft, behind ? [word, value, behind] : [word, value], reason, whole);
}
