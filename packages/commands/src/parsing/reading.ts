import type { Filter } from "../filters/filter.js";
import type { Entry, Grammar, Parameter } from "../grammar.js";
import { kinds, type LogKind } from "../kinds.js";
import { TIME_WORDS } from "../times/read-moment.js";
import type { Read, ReadContext } from "../values/value-type.js";
import { isQuoted, joined, type Marked, plain } from "../words.js";
import type { Bare, Draft, Fault, Item } from "./items.js";

/** The state of a command while it is read. */
export interface Reading {
  readonly entry: Entry;
  readonly grammar: Grammar;
  readonly context: ReadContext;
  readonly draft: Draft;
  /** The values so far, by member of the parsed command. */
  readonly values: Map<string, unknown>;
  /** The items that each value came from. */
  readonly sources: Map<string, readonly Item[]>;
  readonly filters: Filter[];
  readonly faults: Fault[];
  /** The items that have not been read. */
  readonly unread: Set<Item>;
}

/** The meaning of some items. */
export type Finding = { readonly used: readonly Item[] } & (
  | { readonly fault: Fault }
  | { readonly filter: Filter }
  | { readonly parameter: Parameter; readonly value: unknown }
);

/** Stores a finding. Its items are then read. */
export function record({ values, sources, filters, faults, unread }: Reading, finding: Finding): void {
  for (const item of finding.used) unread.delete(item);
  if ("fault" in finding) {
    faults.push(finding.fault);
  } else if ("filter" in finding) {
    filters.push(finding.filter);
  } else {
    values.set(finding.parameter.member, finding.value);
    sources.set(finding.parameter.member, finding.used);
  }
}

/** The kind that has been read. */
export function kindOf({ values }: Reading): LogKind | undefined {
  const kind = values.get("kind");
  return kinds.find((name) => name === kind);
}

/** The unread words by themselves, in order. */
export function bareWords({ draft, unread }: Reading): Bare[] {
  return draft.items.filter((item): item is Bare => item.form === "bare" && unread.has(item));
}

/** The item before or after another. */
export function neighbour({ draft }: Reading, item: Item, distance: -1 | 1): Item | undefined {
  return draft.items[draft.items.indexOf(item) + distance];
}

/** The next item, if it is an unread word by itself. */
export function bareBehind(reading: Reading, item: Item): Bare | undefined {
  const next = neighbour(reading, item, 1);
  return next?.form === "bare" && reading.unread.has(next) ? next : undefined;
}

/** A value, and the items that it was read from. */
export interface ReadItems<T> {
  readonly read: Read<T>;
  readonly used: readonly Item[];
}

/** Reads the value of a parameter that begins with an item. */
export function readValue(
  reading: Reading,
  { value: type }: Parameter,
  item: Item,
  value: Marked,
  subject: string,
): ReadItems<unknown> {
  // Values that are not free text are read as typed without an input method.
  const parse = ({ text }: Marked): Read<unknown> =>
    type.parse(type.distinctive ? plain(text) : text, { ...reading.context, subject });
  return type.spaced ? readLongest(reading, item, value, parse) : { read: parse(value), used: [item] };
}

// The longest time in words is "1 hour 2 minutes 3 seconds ago".
const MOST_WORDS = 6;
const TIME_WORD = new RegExp(`^(?:${TIME_WORDS})$`, "i");
// The words that can continue a value: the end of a range, a unit, a zone, more of a time.
const MORE = new RegExp(
  `^(?:[.…‥]+|to|[-–—]|\\d.*|[ap]m|[kmgt]i?b?|b|bytes?|from|now|utc|gmt|[+-]\\d.*|${TIME_WORDS})$`,
  "i",
);

/** Reads a value with as many of the following words as fit: `since:2 hours ago`. */
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
    if (longer.ok) return { read: longer, used: [item, ...used] };
  }
  const short = read(value);
  // If a time in words is invalid, all of its words are wrong: since:20 november.
  const wrong = short.ok ? [] : wordsBehind(reading, item, TIME_WORD);
  return wrong.length === 0
    ? { read: short, used: [item] }
    : { read: read(joined(" ", value, ...wrong)), used: [item, ...wrong] };
}

function wordsBehind(reading: Reading, item: Item, like: RegExp): Bare[] {
  const words: Bare[] = [];
  for (let word = bareBehind(reading, item); word && words.length < MOST_WORDS; word = bareBehind(reading, word)) {
    if (isQuoted(word) || !like.test(plain(word.text))) break;
    words.push(word);
  }
  return words;
}
