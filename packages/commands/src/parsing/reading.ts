import type { Filter } from "../filters/filter.js";
import type { Entry, Grammar, Parameter } from "../grammar.js";
import type { Read, ReadContext } from "../values/value-type.js";
import type { Marked } from "../words.js";
import type { Draft, Fault } from "./fault.js";
import type { Bare, Item } from "./items.js";

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

// The longest time in words is "9 am last wednesday".
const MOST_WORDS = 3;

/** Reads a value together with as many of the words behind it as make sense with it: `since:2 hours ago`. */
export function readLongest<T>(
  { draft, left }: Reading,
  item: Item,
  value: Marked,
  read: (value: Marked) => Read<T>,
): { read: Read<T>; said: readonly Item[] } {
  const next = draft.items.indexOf(item) + 1;
  const behind = draft.items.slice(next, next + MOST_WORDS);
  const ends = behind.findIndex(
    (word) => word.form === "keyed" || !left.has(word) || word.marks !== "-".repeat(word.text.length || 1),
  );
  const words = behind.slice(0, ends < 0 ? MOST_WORDS : ends).filter((word): word is Bare => word.form === "bare");
  for (let count = words.length; count > 0; count--) {
    const used = words.slice(0, count);
    const longer = read(joined(value, used));
    if (longer.ok) return { read: longer, said: [item, ...used] };
  }
  return { read: read(value), said: [item] };
}

function joined(value: Marked, words: readonly Marked[]): Marked {
  const all = [value, ...words];
  return { text: all.map(({ text }) => text).join(" "), marks: all.map(({ marks }) => marks).join("-") };
}
