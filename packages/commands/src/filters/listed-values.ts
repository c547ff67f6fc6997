import { nearestOf, oneOfThese, takes } from "../messages.js";
import { type Choice, type Read, refused, understood } from "../values/value-type.js";
import { type Marked, nameOf, writePattern } from "../words.js";
import type { Pattern } from "./field-types.js";

// Longer lists are in the help.
const MOST_NAMED = 5;

const valueName = (text: string): string => nameOf(text.trim()).replaceAll(/[\s_]+/g, "-");

/** The name of a value of a closed list, in any form: `ICE_TIMEOUT`, `channel full`. */
export function listedValue(values: readonly Choice[], text: string): string | undefined {
  const name = valueName(text);
  return values.some(([value]) => value === name) ? name : undefined;
}

interface TypedList {
  /** What the values are: `reason`. */
  readonly name: string;
  readonly values: readonly Choice[];
  readonly operator: string;
  readonly value: Marked;
  readonly subject: string;
}

/** Reads values of a closed list, or patterns of them. A refusal suggests an operator and values: `:ice-timeout`. */
export function readListed(
  { name, values, operator, value, subject }: TypedList,
  typed: readonly Pattern[],
): Read<readonly Pattern[]> {
  const any = typed.map((pattern) => pattern.map(valueName));
  const isListed = ([text = "", ...more]: Pattern): boolean =>
    more.length > 0 || listedValue(values, text) !== undefined;
  if (any.every(isListed)) return understood(any);
  const names = values.map(([each]) => each);
  const near = any.map((pattern) => (isListed(pattern) ? writePattern(pattern) : nearTo(names, pattern)));
  const nearest = near.includes(undefined) ? undefined : `${operator}${near.join(",")}`;
  const wanted = names.length > MOST_NAMED ? `a ${name}, such as ${oneOfThese(names.slice(0, 2))}` : oneOfThese(names);
  return refused(takes(subject, wanted, value.text), nearest, "events");
}

/** The name that a text is nearest to: `ice-timeout` for `ice-timout`; `ice-*` for `ice`, which begins several. */
function nearTo(names: readonly string[], [text = ""]: Pattern): string | undefined {
  const words = names.flatMap((name) => name.split("-"));
  const near = nearestOf(text, names);
  const word = words.includes(text) ? text : near === undefined ? nearestOf(text, words) : undefined;
  if (word === undefined) return near;
  const having = names.filter((name) => name.split("-").includes(word));
  if (having.length === 1) return having[0];
  if (having.every((name) => name.startsWith(`${word}-`))) return `${word}-*`;
  return having.every((name) => name.endsWith(`-${word}`)) ? `*-${word}` : `*${word}*`;
}
