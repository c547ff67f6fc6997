import type { Filter } from "../filters/filter.js";
import type { Entry, Grammar, Parameter } from "../grammar.js";
import { kinds, type LogKind } from "../kinds.js";
import { TIME_WORDS } from "../times/read-moment.js";
import type { Read, ReadContext } from "../values/value-type.js";
import { isQuoted, joined, type Marked, plain } from "../words.js";
import type { Bare, Draft, Fault, Item } from "./items.js";

/** A command while it is being read. */
export interface Reading {
  readonly entry: Entry;
  readonly grammar: Grammar;
  readonly context: ReadContext;
  readonly draft: Draft;
  /** What has been understood so far, by the member of the parsed command. */
  readonly values: Map<string, unknown>;
  /** Which words said so. */
  readonly places: Map<string, readonly Item[]>;
  readonly filters: Filter[];
  readonly faults: Fault[];
  /** What nobody has read yet. */
  readonly left: Set<Item>;
}

/** What some words turned out to be. */
export type Finding = { readonly said: readonly Item[] } & (
  | { readonly fault: Fault }
  | { readonly filter: Filter }
  | { readonly parameter: Parameter; readonly value: unknown }
);

/** Notes what some words are. They are then nobody else's. */
export function settle({ values, places, filters, faults, left }: Reading, finding: Finding): void {
  for (const item of finding.said) left.delete(item);
  if ("fault" in finding) {
    faults.push(finding.fault);
  } else if ("filter" in finding) {
    filters.push(finding.filter);
  } else {
    values.set(finding.parameter.member, finding.value);
    places.set(finding.parameter.member, finding.said);
  }
}

/** The kind that has been read, where the command has one. */
export function kindOf({ values }: Reading): LogKind | undefined {
  const kind = values.get("kind");
  return kinds.find((name) => name === kind);
}

/** The words that stand alone and that nobody has read, in their order. */
export function bareWords({ draft, left }: Reading): Bare[] {
  return draft.items.filter((item): item is Bare => item.form === "bare" && left.has(item));
}

/** The item before or behind another. */
export function neighbour({ draft }: Reading, item: Item, distance: -1 | 1): Item | undefined {
  return draft.items[draft.items.indexOf(item) + distance];
}

/** The word behind another, where it stands alone as well, and nobody has read it. */
export function bareBehind(reading: Reading, item: Item): Bare | undefined {
  const next = neighbour(reading, item, 1);
  return next?.form === "bare" && reading.left.has(next) ? next : undefined;
}

/** What was read, and of which items. */
export interface ReadItems<T> {
  readonly read: Read<T>;
  readonly said: readonly Item[];
}

/** Reads the value of an argument or an option, of which an item is the first word. */
export function readValue(
  reading: Reading,
  { value: type }: Parameter,
  item: Item,
  value: Marked,
  subject: string,
): ReadItems<unknown> {
  // What is no free text is read as it would be typed without an input method.
  const parse = ({ text }: Marked): Read<unknown> =>
    type.parse(type.telling ? plain(text) : text, { ...reading.context, subject });
  return type.spaced ? readLongest(reading, item, value, parse) : { read: parse(value), said: [item] };
}

// The longest time in words is "1 hour 2 minutes 3 seconds ago".
const MOST_WORDS = 6;
const TIME_WORD = new RegExp(`^(?:${TIME_WORDS})$`, "i");
// With what a value can go on: the end of a range, a unit, a zone, more of a time.
const MORE = new RegExp(
  `^(?:[.…‥]+|to|[-–—]|\\d.*|[ap]m|[kmgt]i?b?|b|bytes?|from|now|utc|gmt|[+-]\\d.*|${TIME_WORDS})$`,
  "i",
);

/** Reads a value together with as many of the words behind it as make sense with it: `since:2 hours ago`. */
export function readLongest<T>(
  reading: Reading,
  item: Item,
  value: Marked,
  read: (value: Marked) => Read<T>,
): ReadItems<T> {
  const words = wordsBehind(reading, item, MORE);
  for (let count = words.length; count > 0; count--) {
    const used = words.slice(0, count);
    const longer = read(joined(" ", value, ...used));
    if (longer.ok) return { read: longer, said: [item, ...used] };
  }
  const short = read(value);
  // Of a time in words that is none, all words are wrong: since:20 november.
  const wrong = short.ok ? [] : wordsBehind(reading, item, TIME_WORD);
  return wrong.length === 0
    ? { read: short, said: [item] }
    : { read: read(joined(" ", value, ...wrong)), said: [item, ...wrong] };
}

function wordsBehind(reading: Reading, item: Item, like: RegExp): Bare[] {
  const words: Bare[] = [];
  for (let word = bareBehind(reading, item); word && words.length < MOST_WORDS; word = bareBehind(reading, word)) {
    if (isQuoted(word) || !like.test(plain(word.text))) break;
    words.push(word);
  }
  return words;
}
