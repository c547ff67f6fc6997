import { optionOwners, type Parameter, parametersNamed } from "../grammar.js";
import { isOptionOperator } from "../operators.js";
import { quote } from "../quote.js";
import type { Refused } from "../values/value-type.js";
import { isQuoted, nameOf, writeText } from "../words.js";
import { type Bare, type Fault, faultAt, faultWithHelp, type Item, type Keyed, textOf } from "./items.js";
import { bareBehind, type Finding, neighbour, type ReadItems, type Reading, readValue, record } from "./reading.js";

/** Reads all `word:value` items that are options or arguments of the command. */
export function readOptions(reading: Reading): void {
  for (const item of reading.draft.items) {
    if (!reading.unread.has(item)) continue;
    const finding = item.form === "keyed" ? readOption(reading, item) : readNamed(reading, item);
    if (finding) record(reading, finding);
    // Only the first fault is reported.
    if (reading.faults.length > 0) return;
  }
}

function readOption(reading: Reading, item: Keyed): Finding | undefined {
  const named = parametersNamed(reading.entry, item.key);
  const [parameter] = named;
  if (!parameter) return undefined;
  const { word, value: type } = parameter;
  const { text } = item.value;
  if (text.trim() === "") {
    const reason = `${word}: needs a value after it, such as ${word}:${type.example}.`;
    return { used: [item], fault: faultOfEmpty(reading, [item], reason, parameter) };
  }
  if (item.minus) return refused(reading, parameter, [item], `${word} takes no minus before it.`, text);
  if (!isOptionOperator(item.operator)) {
    const reason = `${word} takes a colon before its value, not ${quote(item.operator)}.`;
    return refused(reading, parameter, [item], reason, text);
  }
  const [found] = named
    .map((each) => ({ parameter: each, ...readValue(reading, each, item, item.value, word) }))
    .sort(byFit);
  if (!found || (!found.read.ok && isOfOthers(reading, item.key))) return undefined;
  return given(reading, found.parameter, [], found);
}

/** `since 2h`: the colon may be omitted if the words can mean nothing else. */
function readNamed(reading: Reading, word: Bare): Finding | undefined {
  const [before, value] = [neighbour(reading, word, -1), bareBehind(reading, word)];
  // created:yesterday to today is a range.
  const isRange =
    /^to$/i.test(word.text) && before?.form === "keyed" && parametersNamed(reading.entry, before.key).length === 0;
  if (!value || isQuoted(word) || isRange) return undefined;
  const [found] = parametersNamed(reading.entry, word.text)
    .filter(({ value: type }) => type.distinctive)
    .map((parameter) => ({ parameter, ...readValue(reading, parameter, value, value, parameter.word) }))
    .sort(byFit);
  return found?.read.ok ? given(reading, found.parameter, [word], found) : undefined;
}

/** Whether a name belongs mainly to another command: `summary last:50`, where `last:2h` is an alias of `since`. */
export function isOfOthers({ grammar, entry }: Reading, typed: string): boolean {
  const name = nameOf(typed);
  const [first] = parametersNamed(entry, name);
  const owners = optionOwners(grammar, name);
  return first?.word !== name && owners.length > 0 && !owners.includes(entry.spec.name);
}

/** Puts the valid reading first, then the one that uses more words: `last 2 hours`. */
function byFit(a: ReadItems<unknown>, b: ReadItems<unknown>): number {
  return Number(b.read.ok) - Number(a.read.ok) || b.used.length - a.used.length;
}

/** The value of a parameter, with the name before it if there is one. */
function given(reading: Reading, parameter: Parameter, named: readonly Item[], { read, used }: ReadItems<unknown>) {
  const all = [...named, ...used];
  if (reading.values.has(parameter.member)) {
    const typed = quote(all.map(textOf).join(" "));
    const reason = `${parameter.word} is given twice: ${typed} is one too many.`;
    // Either of two times may be meant.
    if (parameter.value.zoned) return { used: all, fault: faultWithHelp(reading.grammar, all, reason, "times") };
    return refused(reading, parameter, all, reason);
  }
  if (!read.ok) return refusedValue(reading, parameter, all, read);
  return { used: all, parameter, value: read.value };
}

/** The fault of an option without a value. An example is suggested, unless it would change what is made or listed. */
export function faultOfEmpty(reading: Reading, used: readonly Item[], reason: string, parameter: Parameter): Fault {
  const { entry, grammar, context, draft } = reading;
  const { value: type, word } = parameter;
  if (type.zoned) return faultWithHelp(grammar, used, reason, "times");
  if (entry.arguments.includes(parameter)) {
    if (entry.spec.effect !== "reads") return faultWithHelp(grammar, used, reason, entry.spec.name);
    return faultAt(draft, used, reason, `${word}:${writeText(type.example)}`);
  }
  const read = type.parse("", { ...context, subject: word });
  const example = read.ok ? undefined : read.nearest;
  return faultAt(draft, used, reason, example && `${word}:${writeText(example)}`);
}

/** The fault of an invalid value. */
export function faultOfValue(
  { draft, grammar }: Reading,
  { word }: Parameter,
  used: readonly Item[],
  { reason, nearest, help }: Refused,
): Fault {
  if (nearest === undefined && help !== undefined) return faultWithHelp(grammar, used, reason, help);
  return faultAt(draft, used, reason, nearest && `${word}:${writeText(nearest)}`);
}

function refusedValue(reading: Reading, parameter: Parameter, used: readonly Item[], read: Refused) {
  return { used, fault: faultOfValue(reading, parameter, used, read) };
}

function refused(
  { draft }: Reading,
  { word }: Parameter,
  used: readonly Item[],
  reason: string,
  value?: string,
): { used: readonly Item[]; fault: Fault } {
  return { used, fault: faultAt(draft, used, reason, value && `${word}:${writeText(value)}`) };
}
