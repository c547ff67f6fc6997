import { type FieldSpec, fieldNamed } from "../filters/fields.js";
import type { Parameter } from "../grammar.js";
import { type LogKind, likelyKinds } from "../kinds.js";
import { oneOfThese, quote, shorten } from "../quote.js";
import { writeText, writeWord } from "../words.js";
import { connectiveFault } from "./connectives.js";
import { type Fault, faultAt, faultOfMissing } from "./fault.js";
import { guess } from "./guess.js";
import { type Bare, headOf, type Item, isFlag, type Keyed, textOf } from "./items.js";
import { namedFault } from "./named.js";
import { bareBehind, kindOf, neighbour, type Reading, readValue } from "./reading.js";

/** What is wrong where an argument is missing. */
export function missingFault(reading: Reading, argument: Parameter): Fault {
  const { name, example, choices } = argument.value;
  const wanted = choices ? `: ${oneOfThese(choices)}` : `, such as ${example}`;
  const addition = argument.member === "kind" ? preferredKind(reading) : example;
  return faultOfMissing(reading.draft, `${reading.entry.spec.name} needs a ${name}${wanted}.`, addition);
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
    (isBefore ? named : undefined) ??
    choiceFault(reading, word) ??
    commandFault(reading, word) ??
    (isBefore && !/^or$/i.test(word.text) ? cut : undefined) ??
    connectiveFault(reading, word) ??
    cut ??
    named ??
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
