import type { LogKind } from "../api.js";
import type { TextType } from "../filters/field-types.js";
import { isOptionOperator, operatorSpoken } from "../filters/operators.js";
import { readFilter } from "../filters/read-filter.js";
import { isFieldFirst, optionOwners, type Parameter, parametersNamed } from "../grammar.js";
import { type FieldSpec, failureField, fieldNamed, kindSpec, kinds } from "../kinds.js";
import { oneOfThese, quote } from "../messages.js";
import { isTimeText, readDuration } from "../times.js";
import type { Refused } from "../values/value-type.js";
import {
  COMMAS,
  isQuoted,
  keyOf,
  type Marked,
  nameOf,
  splitAt,
  splitAtCommas,
  writeText,
  writeWord,
} from "../words.js";
import {
  type Bare,
  type Fault,
  faultAt,
  faultWithHelp,
  headOf,
  type Item,
  type Keyed,
  outcomeSaid,
  textOf,
} from "./items.js";
import { readLabelled } from "./read-labels.js";
import {
  bareBehind,
  type Finding,
  kindOf,
  neighbour,
  type ReadItems,
  type Reading,
  readLongest,
  readValue,
  record,
} from "./reading.js";
import { unknownKey } from "./unknown-key.js";

/** Reads all `word:value` items that are options or arguments of the command. */
export function readOptions(reading: Reading): void {
  for (const item of reading.draft.items) {
    if (!reading.unread.has(item)) continue;
    const labelled = readLabelled(reading, item);
    for (const each of labelled) record(reading, each);
    if (labelled.length > 0) continue;
    const finding = item.form === "keyed" ? readOption(reading, item) : readNamed(reading, item);
    if (finding) record(reading, finding);
    // Only the first fault is reported.
    if (reading.faults.length > 0) return;
  }
}

function readOption(reading: Reading, item: Keyed): Finding | undefined {
  const { entry, context } = reading;
  const named = parametersNamed(entry, item.key);
  const [parameter] = named;
  if (!parameter || (entry.spec.filters && isFieldFirst(parameter, item.key, context.kind))) return undefined;
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
  // elapsed over 2s is a comparison.
  const isComparison =
    before?.form === "bare" && operatorSpoken(nameOf(word.text)) !== undefined && isField(reading, before);
  if (!value || isQuoted(word) || isRange || isComparison) return undefined;
  const [found] = parametersNamed(reading.entry, word.text)
    .filter(({ value: type, isLoose }) => type.distinctive || isLoose)
    .map((parameter) => ({ parameter, ...readValue(reading, parameter, value, value, parameter.word) }))
    .sort(byFit);
  return found?.read.ok ? given(reading, found.parameter, [word], found) : undefined;
}

function isField({ entry, context: { kind } }: Reading, { text }: Bare): boolean {
  return Boolean(entry.spec.filters) && kind !== undefined && fieldNamed(kind, text) !== undefined;
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
    // Both times are plausible.
    if (parameter.value.zoned) return { used: all, fault: faultWithHelp(reading.grammar, all, reason, "times") };
    return refused(reading, parameter, all, reason);
  }
  if (!read.ok) return { used: all, fault: faultOfValue(reading, parameter, all, read) };
  return { used: all, parameter, value: read.value };
}

/**
 * The fault of an option without a value. An example is suggested, unless it would change the effect of the command.
 */
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
  reading: Reading,
  { word, value }: Parameter,
  used: readonly Item[],
  { nearest, ...refusal }: Refused,
): Fault {
  const written = nearest && (value.list ? nearest : writeText(nearest));
  return faultOfRefusal(reading, used, { ...refusal, nearest: written && `${word}:${written}` });
}

/** The fault of refused items, with their correction or else with help. */
function faultOfRefusal({ draft, grammar }: Reading, used: readonly Item[], refusal: Refused): Fault {
  const { reason, nearest, help } = refusal;
  if (nearest === undefined && help !== undefined) return faultWithHelp(grammar, used, reason, help);
  return faultAt(draft, used, reason, nearest);
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

/** Reads all filters: named items that are not options, and the words `failed` and `ok`. Anything else is a mistake. */
export function readFilters(reading: Reading): void {
  const { entry, draft, unread } = reading;
  const kind = entry.spec.filters ? kindOf(reading) : undefined;
  // The fields depend on the kind.
  if (entry.spec.filters && !kind) return;
  for (const item of draft.items) {
    if (!unread.has(item)) continue;
    const finding = item.form === "keyed" ? readKeyed(reading, item, kind) : readOutcome(reading, item, kind);
    if (!finding) continue;
    record(reading, finding);
    // Only the first fault is reported.
    if ("fault" in finding) return;
  }
}

function readKeyed(reading: Reading, item: Keyed, kind: LogKind | undefined): Finding {
  const { context } = reading;
  const field = kind && fieldNamed(kind, item.key);
  if (!field) return { used: [item], fault: unknownKey(reading, item, kind) };
  const fault =
    programFault(reading, item, field) ??
    lifetimeFault(reading, [item], field, item.value) ??
    blankFault(reading, item, field);
  if (fault) return { used: [item], fault };

  const { minus, operator } = item;
  const readWhole = (value: Marked) => readFilter(field, { minus, operator, value }, context);
  const { read, used } =
    field.type.is === "ordered"
      ? readLongest(reading, item, item.value, readWhole)
      : readLongest(reading, item, item.value, readWhole, wordsOf(field.type, item.value));
  return read.ok ? { used, filter: read.value } : { used, fault: faultOfRefusal(reading, used, read) };
}

/** The words that can continue a value of a closed list: `reason:channel full`, but not `reason:channel* failed`. */
function wordsOf({ values = [] }: TextType, value: Marked) {
  const begun = splitAtCommas(value).at(-1)?.text ?? "";
  const words = values
    .filter(([name]) => name.startsWith(`${nameOf(begun)}-`))
    .flatMap(([name]) => name.split("-").slice(1));
  return { isMore: (word: string) => words.includes(word.toLowerCase()), isWrong: () => false };
}

/** `failed`, `ok`, and either with a minus before it. */
function readOutcome(reading: Reading, word: Bare, kind: LogKind | undefined): Finding | undefined {
  const outcome = outcomeSaid(word);
  if (!outcome || !kind) return undefined;
  const used = [word];
  const field = failureField(kind);
  if (!field) {
    const having = kinds.filter(failureField).map((other) => kindSpec(other).one);
    const reason = `Nothing fails in ${kindSpec(kind).one} logs; ${oneOfThese(having, "and")} logs have failures.`;
    return { used, fault: faultAt(reading.draft, used, reason) };
  }
  const other = reading.filters.find(({ test }) => test.is === "failed");
  if (other && other.negated !== outcome.negated) {
    return { used, fault: faultAt(reading.draft, used, "No entry is both failed and ok.") };
  }
  return { used, filter: { field: field.name, negated: outcome.negated, test: { is: "failed" } } };
}

/** `from:2h`, which means a time in other logs */
function programFault({ draft, context }: Reading, item: Keyed, { wire }: FieldSpec): Fault | undefined {
  if (wire !== "from" || item.minus || !isOptionOperator(item.operator) || isQuoted(item.value)) return undefined;
  if (!isTimeText(item.value.text)) return undefined;
  const meant = `since:${writeText(item.value.text)}`;
  const reason = `In ${kindSpec(context.kind ?? "api").one} logs, from: is the program that made the call. Did you mean ${meant}?`;
  return faultAt(draft, [item], reason, meant);
}

/** `after:14:00`, which is a duration in event logs. */
export function lifetimeFault(
  { draft }: Reading,
  used: readonly Item[],
  { name }: FieldSpec,
  value: Marked,
): Fault | undefined {
  if (name !== "after" || readDuration(value.text) !== undefined || !isTimeText(value.text)) return undefined;
  const meant = `since:${writeText(value.text)}`;
  const reason = `In event logs, after is how long a connection had existed. Did you mean ${meant}?`;
  return faultAt(draft, used, reason, meant);
}

const COMMA = new RegExp(`[${COMMAS}]`, "g");
// Semicolons and similar characters are also parts of URLs.
const BETWEEN = new RegExp(`[${COMMAS};&|]`, "g");

/** Two filters in one word: `type:session.created,status:404`. */
function blankFault({ draft, grammar }: Reading, item: Keyed, { type }: FieldSpec): Fault | undefined {
  const [first, ...others] = splitAt(item.value, type.is === "text" ? COMMA : BETWEEN);
  const isFilter = (part: Marked): boolean => grammar.isKey(keyOf(part)?.name ?? "");
  if (!first || !others.some(isFilter)) return undefined;
  const parts = others.map((part) => `${isFilter(part) ? " " : ","}${writeWord(part)}`);
  const reason = "Separate filters with spaces only.";
  return faultAt(draft, [item], reason, `${headOf(item)}${writeWord(first)}${parts.join("")}`);
}
