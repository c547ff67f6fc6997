import { optionOwners, type Parameter, parametersNamed } from "../grammar.js";
import { isOptionOperator } from "../operators.js";
import { quote } from "../quote.js";
import type { Refused } from "../values/value-type.js";
import { isQuoted, nameOf, writeText } from "../words.js";
import { type Bare, type Fault, faultAt, faultWithHelp, type Item, type Keyed, textOf } from "./items.js";
import { bareBehind, type Finding, neighbour, type ReadItems, type Reading, readValue, settle } from "./reading.js";

/** Reads all `word:value` that are options or arguments of the command. */
export function readOptions(reading: Reading): void {
  for (const item of reading.draft.items) {
    if (!reading.left.has(item)) continue;
    const finding = item.form === "keyed" ? readOption(reading, item) : readNamed(reading, item);
    if (finding) settle(reading, finding);
    // Only the first fault is told.
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
    return { said: [item], fault: faultOfEmpty(reading, [item], reason, parameter) };
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

/** `since 2h`: the colon may be left out where the words can mean nothing else. */
function readNamed(reading: Reading, word: Bare): Finding | undefined {
  const [before, value] = [neighbour(reading, word, -1), bareBehind(reading, word)];
  // created:yesterday to today is a range.
  const isRange =
    /^to$/i.test(word.text) && before?.form === "keyed" && parametersNamed(reading.entry, before.key).length === 0;
  if (!value || isQuoted(word) || isRange) return undefined;
  const [found] = parametersNamed(reading.entry, word.text)
    .filter(({ value: type }) => type.telling)
    .map((parameter) => ({ parameter, ...readValue(reading, parameter, value, value, parameter.word) }))
    .sort(byFit);
  return found?.read.ok ? given(reading, found.parameter, [word], found) : undefined;
}

/** Whether a name is mainly another command's: `summary last:50`, where `last:2h` is another word for `since`. */
export function isOfOthers({ grammar, entry }: Reading, typed: string): boolean {
  const name = nameOf(typed);
  const [first] = parametersNamed(entry, name);
  const owners = optionOwners(grammar, name);
  return first?.word !== name && owners.length > 0 && !owners.includes(entry.spec.name);
}

/** Of two readings, the one that is right comes first, and then the one that takes in more: `last 2 hours`. */
function byFit(a: ReadItems<unknown>, b: ReadItems<unknown>): number {
  return Number(b.read.ok) - Number(a.read.ok) || b.said.length - a.said.length;
}

/** What a value turned out to be, behind the word that may stand before it. */
function given(reading: Reading, parameter: Parameter, named: readonly Item[], { read, said }: ReadItems<unknown>) {
  const all = [...named, ...said];
  if (reading.values.has(parameter.member)) {
    const typed = quote(all.map(textOf).join(" "));
    const reason = `${parameter.word} is given twice: ${typed} is one too many.`;
    // Nobody can tell which of two times was meant.
    if (parameter.value.zoned) return { said: all, fault: faultWithHelp(reading.grammar, all, reason, "times") };
    return refused(reading, parameter, all, reason);
  }
  if (!read.ok) return refusedValue(reading, parameter, all, read);
  return { said: all, parameter, value: read.value };
}

/** The fault of an option that has no value. An example stands in, unless it would change what is made or listed. */
export function faultOfEmpty(reading: Reading, said: readonly Item[], reason: string, parameter: Parameter): Fault {
  const { entry, grammar, context, draft } = reading;
  const { value: type, word } = parameter;
  if (type.zoned) return faultWithHelp(grammar, said, reason, "times");
  if (entry.arguments.includes(parameter)) {
    if (entry.spec.effect !== "reads") return faultWithHelp(grammar, said, reason, entry.spec.name);
    return faultAt(draft, said, reason, `${word}:${writeText(type.example)}`);
  }
  const read = type.parse("", { ...context, subject: word });
  const example = read.ok ? undefined : read.nearest;
  return faultAt(draft, said, reason, example && `${word}:${writeText(example)}`);
}

/** The fault of a value that is not understood. */
export function faultOfValue(
  { draft, grammar }: Reading,
  { word }: Parameter,
  said: readonly Item[],
  { reason, nearest, help }: Refused,
): Fault {
  if (nearest === undefined && help !== undefined) return faultWithHelp(grammar, said, reason, help);
  return faultAt(draft, said, reason, nearest && `${word}:${writeText(nearest)}`);
}

function refusedValue(reading: Reading, parameter: Parameter, said: readonly Item[], read: Refused) {
  return { said, fault: faultOfValue(reading, parameter, said, read) };
}

function refused(
  { draft }: Reading,
  { word }: Parameter,
  said: readonly Item[],
  reason: string,
  value?: string,
): { said: readonly Item[]; fault: Fault } {
  return { said, fault: faultAt(draft, said, reason, value && `${word}:${writeText(value)}`) };
}
