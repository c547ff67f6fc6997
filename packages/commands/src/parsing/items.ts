import { kindNamed } from "../kinds.js";
import { type Key, keyOf, type Marked, slice, unquoted, type Word } from "../words.js";

/** A word that stands by itself. */
export interface Bare extends Marked {
  readonly form: "bare";
  readonly words: readonly Word[];
}

/** A word, or several, that say something of a name: `status>=400`, `since:2h`, `status >= 400`. */
export interface Keyed {
  readonly form: "keyed";
  /** Whether a minus stands before it. */
  readonly minus: boolean;
  /** As it was typed. */
  readonly key: string;
  /** As it was typed. */
  readonly operator: string;
  readonly value: Marked;
  readonly words: readonly Word[];
}

/** What a command is made of. */
export type Item = Bare | Keyed;

/** The text that is cut into just this item. */
export function rawOf({ words }: Item): string {
  return words.map(({ raw }) => raw).join(" ");
}

/** What was typed, without its quotes: for messages. */
export function textOf({ words }: Item): string {
  return words.map(({ text }) => text).join(" ");
}

/**
 * Puts words together that belong together. A name is known where some command has an option, or some kind a field, of
 * this name: only then does a blank before an operator not end the word.
 */
export function itemsOf(words: readonly Word[], isKnown: (key: string) => boolean): Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at < words.length) {
    const item = keyedAt(words, at, isKnown) ?? bareAt(words, at);
    items.push(item);
    at += item.words.length;
  }
  return items;
}

function bareAt(words: readonly Word[], at: number): Bare {
  const [first = unquoted(""), second] = words.slice(at, at + 2);
  const isOperator = OPERATOR.exec(first.text)?.[0] === first.text && first.marks.startsWith("-");
  // "> 10MB", for which only the name is missing
  if (!isOperator || !second)
    return { form: "bare", text: first.text, marks: first.marks, words: words.slice(at, at + 1) };
  const [text, marks] = [first.text + second.text, first.marks + second.marks];
  return { form: "bare", text, marks, words: words.slice(at, at + 2) };
}

function keyedAt(words: readonly Word[], at: number, isKnown: (key: string) => boolean): Keyed | undefined {
  const [first, second, third] = words.slice(at, at + 3).map(withPlainDashes);
  if (!first) return undefined;
  const isValue = (word: Word | undefined): word is Word => word !== undefined && !splitKey(word, isKnown);
  const take = (count: number): readonly Word[] => words.slice(at, at + count);

  // since:2h, and since: with its value in the next word
  const split = splitKey(first, isKnown);
  if (split) {
    const isOpen = split.value.text === "" && !isClosed(first);
    return isOpen && isValue(second) ? keyed(split.key, second, take(2)) : keyed(split.key, split.value, take(1));
  }
  const key = keyOf(unquoted(`${first.text}:`));
  if (!key || !second || !isKnown(key.name) || `${key.dashes}${key.name}` !== first.text) return undefined;
  // status >= 400, status >=400
  const isKind = kindNamed(key.name) !== undefined;
  const [operator] = second.marks.startsWith("-") ? (OPERATOR.exec(second.text) ?? []) : [];
  if (operator !== undefined && !isKind) {
    const value = slice(second, operator.length);
    const isOpen = value.text === "" && isValue(third);
    return isOpen ? keyed({ ...key, operator }, third, take(3)) : keyed({ ...key, operator }, value, take(2));
  }
  // --since 2h
  return key.dashes === "--" && isValue(second) ? keyed(key, second, take(2)) : undefined;
}

const OPERATOR = /^[:=!<>~≥≤≠]+/;

/** The name and operator with which a word begins, and what follows them. */
function splitKey(word: Word, isKnown: (key: string) => boolean): { key: Key; value: Marked } | undefined {
  // 'status>=400' in quotes comes from a terminal's help; a quoted text that begins with no known name is just a text.
  const isWhole = word.marks.startsWith("q") && !word.marks.includes("-");
  const marked = isWhole ? unquoted(word.text) : word;
  const key = keyOf(marked);
  if (!key || (isWhole && !isKnown(key.name))) return undefined;
  // https://… is an address.
  if (key.operator === ":" && word.text.startsWith("//", key.length) && !isKnown(key.name)) return undefined;
  return { key, value: slice(marked, key.length) };
}

/** Whether the word's value is empty on purpose: since:"" */
function isClosed({ raw, text }: Word): boolean {
  return !raw.endsWith(text.slice(-1));
}

function keyed({ dashes, name, operator }: Key, value: Marked, words: readonly Word[]): Keyed {
  return { form: "keyed", minus: dashes === "-", key: name, operator, value, words };
}

/** Phones make one long dash of two short ones. */
function withPlainDashes(word: Word): Word {
  const [dash = ""] = /^[–—−]/.exec(word.text) ?? [];
  if (dash === "" || !word.marks.startsWith("-")) return word;
  const plain = dash === "—" ? "--" : "-";
  return { ...word, text: `${plain}${word.text.slice(1)}`, marks: `${"-".repeat(plain.length)}${word.marks.slice(1)}` };
}

/** Without the name of the program, which comes along when a whole command is copied. */
export function withoutProgram(items: readonly Item[]): readonly Item[] {
  const [first, second] = items;
  if (first?.form !== "bare") return items;
  const isMediaApi = second?.form === "bare" && /^apis?$/i.test(second.text);
  return /^\/media$/i.test(first.text) || (/^media$/i.test(first.text) && !isMediaApi) ? items.slice(1) : items;
}
