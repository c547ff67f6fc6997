import { type FieldSpec, fieldNamed } from "../filters/fields.js";
import type { Parameter } from "../grammar.js";
import { kinds, type LogKind } from "../kinds.js";
import { oneOfThese, quote, shorten } from "../quote.js";
import { writeText, writeWord } from "../words.js";
import { type Fault, faultAt, faultOfMissing } from "./fault.js";
import { guess } from "./guess.js";
import { type Bare, type Item, rawOf } from "./items.js";
import { kindOf } from "./read-filters.js";
import type { Reading } from "./reading.js";

/** What is wrong where an argument is missing. */
export function missingFault(reading: Reading, argument: Parameter): Fault {
  const { draft, entry, context } = reading;
  const { name, example, telling } = argument.value;
  const choices = telling ? argument.value.complete(context).map(([text]) => text) : [];
  const wanted = choices.length > 0 ? `: ${oneOfThese(choices)}` : `, such as ${example}`;
  const addition = argument.member === "kind" ? preferredKind(reading) : example;
  return faultOfMissing(draft, `${entry.spec.name} needs a ${name}${wanted}.`, addition);
}

/** The kind that suits best what else was typed; of equal ones, the first in this order. */
function preferredKind({ draft, entry, context, left }: Reading): LogKind {
  const suits = (item: Item, kind: LogKind): number => {
    if (!left.has(item)) return 0;
    if (item.form === "keyed") return fieldNamed(kind, item.key) ? 3 : 0;
    return guess(item, entry, kind, context)?.likely ?? 0;
  };
  const order: readonly LogKind[] = ["webhooks", ...kinds];
  const scores = order.map((kind) => draft.items.reduce((sum, item) => sum + suits(item, kind), 0));
  return order[scores.indexOf(Math.max(...scores))] ?? "webhooks";
}

const noise: ReadonlyMap<string, string> = new Map([
  ["and", '"and" is not needed: all filters must hold.'],
  ["where", '"where" is not needed: filters follow at once.'],
  ["with", '"with" is not needed: filters follow at once.'],
  ["or", 'There is no "or": all filters must hold, and values of one field stand in a list, as in status:404,500.'],
]);

/** What is wrong with a word that stands alone and fits nowhere. */
export function leftoverFault(reading: Reading, word: Bare): Fault {
  const { draft, entry, context } = reading;
  const typed = quote(word.text);
  const isNamed = bareBehind(reading, word) !== undefined;
  const known =
    (isNamed ? namedFault(reading, word) : undefined) ??
    choiceFault(reading, word) ??
    textFault(reading, word) ??
    namedFault(reading, word) ??
    notFault(reading, word);
  if (known) return known;
  const needless = entry.spec.filters ? noise.get(word.text.toLowerCase()) : undefined;
  if (needless) return faultAt(draft, [word], needless);
  const meant = guess(word, entry, kindOf(reading), context)?.text;
  if (meant === undefined) return faultAt(draft, [word], `${entry.spec.name} takes no ${typed}.`);
  const shown = shorten(meant, 50);
  const isOption = entry.options.some((option) => meant.startsWith(`${option.word}:`));
  const reason = isOption ? `did you mean ${shown}?` : `a filter has a field, as in ${shown}.`;
  return faultAt(draft, [word], `${typed} stands alone: ${reason}`, meant);
}

/** What is wrong where a name has lost its operator: `since 2h`, `status 404`. */
export function namedFault(reading: Reading, word: Bare): Fault | undefined {
  const { draft, entry } = reading;
  const kind = kindOf(reading);
  const name = word.text.toLowerCase();
  const option = [...entry.options, ...entry.arguments].find(({ words }) => words.includes(name));
  const field = kind && entry.spec.filters ? fieldNamed(kind, name) : undefined;
  if (!option && !field) return undefined;
  const value = bareBehind(reading, word);
  const example = option ? `${option.word}:${option.value.example}` : field ? exampleOf(field) : "";
  const reason = `${quote(word.text)} needs a value, as in ${example}.`;
  return faultAt(
    draft,
    value ? [word, value] : [word],
    reason,
    value ? `${option?.word ?? name}:${writeWord(value)}` : undefined,
  );
}

/** The word behind a word, where it stands alone as well, and nobody has read it. */
function bareBehind({ draft, left }: Reading, word: Bare): Bare | undefined {
  const next = draft.items[draft.items.indexOf(word) + 1];
  return next?.form === "bare" && left.has(next) ? next : undefined;
}

function exampleOf({ name, operator, examples: [example] }: FieldSpec): string {
  return `${name}${operator}${example?.[0] ?? "…"}`;
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

/** What is wrong where a filter is negated in English: `not status:404`. */
function notFault({ draft, entry }: Reading, word: Bare): Fault | undefined {
  if (!entry.spec.filters || word.text.toLowerCase() !== "not") return undefined;
  const next = draft.items[draft.items.indexOf(word) + 1];
  const reason = 'There is no "not": a minus stands before what must not hold, as in -status:404.';
  return next?.form === "keyed" && !next.minus
    ? faultAt(draft, [word, next], reason, `-${rawOf(next)}`)
    : faultAt(draft, [word], reason);
}

/** What is wrong where an argument that takes any text has been given already. */
function textFault({ draft, entry, places, context }: Reading, word: Bare): Fault | undefined {
  const argument = entry.arguments.find(({ value, member }) => !value.telling && places.has(member));
  const [before] = (argument && places.get(argument.member)) ?? [];
  if (!argument || !before || guess(word, entry, undefined, context)) return undefined;
  const typed = quote(word.text);
  if (before.form === "keyed") {
    return faultAt(draft, [word], `${argument.word} stands twice: ${typed} is one too many.`);
  }
  const isNext = draft.items[draft.items.indexOf(before) + 1] === word;
  const reason = `${typed} is one word too many: a ${argument.value.name} with blanks stands in quotes.`;
  const whole = writeText(`${before.text} ${word.text}`);
  return isNext ? faultAt(draft, [before, word], reason, whole) : faultAt(draft, [word], reason);
}
