import type { Word } from "../cut.js";
import type { Grammar } from "../grammar.js";
import { kindNamed } from "../kinds.js";
import {
  COMMAS,
  DASHES,
  isQuoted,
  joined,
  type Key,
  keyOf,
  type Marked,
  OPERATORS,
  plain,
  slice,
  unquoted,
} from "../words.js";

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
  readonly key: string;
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

const FLAG = new RegExp(`^[${DASHES}]`);

/** Whether a word looks like an option of other programs: `--json`. */
export function isFlag(word: Bare): boolean {
  return !isQuoted(word) && FLAG.test(word.text);
}

/** What stands before the value: `-status>=`. */
export function headOf({ minus, key, operator }: Keyed): string {
  return `${minus ? "-" : ""}${key}${operator}`;
}

type IsKnown = (key: string) => boolean;

/**
 * Puts words together that belong together. A name is known where some command has an option, or some kind a field, of
 * this name: only then does a blank before an operator not end the word.
 */
export function itemsOf(words: readonly Word[], isKnown: IsKnown): Item[] {
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
  const take = (count: number, whole: Marked): Bare => {
    return { form: "bare", text: whole.text, marks: whole.marks, words: words.slice(at, at + count) };
  };
  if (second) {
    // "media api", and "> 10MB", for which only the name is missing
    if (/^media$/i.test(first.text) && /^apis?$/i.test(second.text)) return take(2, joined(" ", first, second));
    if (first.text !== "" && operatorOf(first) === first.text) return take(2, joined("", first, second));
  }
  return take(1, withoutComma(first));
}

function keyedAt(words: readonly Word[], at: number, isKnown: IsKnown): Keyed | undefined {
  const [first, second, third] = words.slice(at, at + 3);
  if (!first) return undefined;
  const isValue = (word: Word | undefined): word is Word => word !== undefined && !splitKey(word, isKnown);
  const keyed = ({ dashes, name, operator }: Key, start: Marked, count: number): Keyed => {
    const { list, end } = wholeList(words, at + count, start, isValue);
    const value = end < words.length ? withoutComma(list) : list;
    return { form: "keyed", minus: dashes === "-", key: name, operator, value, words: words.slice(at, end) };
  };

  // since:2h, and since: with its value in the next word
  const split = splitKey(first, isKnown);
  if (split) {
    const isOpen = split.value.text === "" && !isClosed(first);
    return isOpen && isValue(second) ? keyed(split.key, second, 2) : keyed(split.key, split.value, 1);
  }
  const key = keyOf(unquoted(`${first.text}:`));
  if (!key || !second || isQuoted(first) || !isKnown(key.name) || key.length !== first.text.length + 1)
    return undefined;
  // status >= 400, status >=400
  const operator = operatorOf(second);
  if (operator !== "" && kindNamed(key.name) === undefined) {
    const typed = { ...key, operator: plain(operator) };
    const value = slice(second, operator.length);
    return value.text === "" && isValue(third) ? keyed(typed, third, 3) : keyed(typed, value, 2);
  }
  // --since 2h
  return key.dashes === "--" && isValue(second) ? keyed(key, second, 2) : undefined;
}

/** A value, with the words behind it in which its list goes on: `type:a, b`. */
function wholeList(
  words: readonly Word[],
  from: number,
  value: Marked,
  isValue: (word: Word | undefined) => word is Word,
): { list: Marked; end: number } {
  let list = value;
  let end = from;
  for (let next = words[end]; isValue(next) && list.text !== ""; next = words[end]) {
    if (!isCommaAt(list, list.text.length - 1) && !isCommaAt(next, 0)) break;
    list = joined("", list, next);
    end += 1;
  }
  return { list, end };
}

function isCommaAt({ text, marks }: Marked, at: number): boolean {
  return marks.charAt(at) === "-" && COMMAS.includes(text.charAt(at));
}

/** What stands before a comma at the end: one that a sentence would have there, and no list. */
function withoutComma(marked: Marked): Marked {
  const end = marked.text.length - 1;
  return end > 0 && isCommaAt(marked, end) ? slice(marked, 0, end) : marked;
}

const OPERATOR = new RegExp(`^[${OPERATORS}]*`);

/** The operator with which a word begins; empty where there is none. */
function operatorOf({ text, marks }: Marked): string {
  return marks.startsWith("-") ? (OPERATOR.exec(text)?.[0] ?? "") : "";
}

/** The name and operator with which a word begins, and what follows them. */
function splitKey(word: Word, isKnown: IsKnown): { key: Key; value: Marked } | undefined {
  // 'status>=400' in quotes comes from a terminal's help; a quoted text that begins with no known name is just a text.
  const isWhole = word.marks.startsWith("q") && !word.marks.includes("-");
  const marked = isWhole ? unquoted(word.text) : word;
  const key = keyOf(marked);
  if (!key || isKnown(key.name)) return key && { key, value: slice(marked, key.length) };
  // https://… is an address, and Help! is a cry.
  const isText =
    isWhole || /^!+$/.test(key.operator) || (key.operator === ":" && word.text.startsWith("//", key.length));
  return isText ? undefined : { key, value: slice(marked, key.length) };
}

/** Whether the word's value is empty on purpose: since:"" */
function isClosed({ raw, text }: Word): boolean {
  return !raw.endsWith(text.slice(-1));
}

/** Without the name of the program, which comes along when a whole command is copied. */
export function withoutProgram(items: readonly Item[]): readonly Item[] {
  const [first] = items;
  return first?.form === "bare" && /^\/?media$/i.test(first.text) ? items.slice(1) : items;
}

/** Why a command was not understood. */
export interface Fault {
  readonly ok: false;
  /** A sentence that says what is wrong, and what would be right. */
  readonly reason: string;
  /** The words it is about; none where something is missing. */
  readonly at?: { readonly start: number; readonly end: number } | undefined;
  /** The whole command with this one fault repaired. It may have others. */
  readonly repair: string;
}

/** The words of a command, behind the one that says which it is. */
export interface Draft {
  readonly head: string;
  readonly items: readonly Item[];
  /** What is offered where the mended command would lack a word: set for what makes or deletes, which may rely on it. */
  readonly help?: string | undefined;
}

/** A fault of some items. They are replaced by what is right, or left out. */
export function faultAt(draft: Draft, items: readonly Item[], reason: string, replacement?: string): Fault {
  const [first] = items;
  if (replacement === undefined && draft.help !== undefined)
    return { ok: false, reason, at: placeOf(items), repair: draft.help };
  const repaired = draft.items.flatMap((item) => {
    if (item === first) return replacement ?? [];
    return items.includes(item) ? [] : rawOf(item);
  });
  return { ok: false, reason, at: placeOf(items), repair: [draft.head, ...repaired].join(" ").trim() };
}

/** A fault that is mended by adding something right behind the command's name. */
export function faultOfMissing({ head, items }: Draft, reason: string, addition: string): Fault {
  return { ok: false, reason, repair: [head, addition, ...items.map(rawOf)].join(" ") };
}

/** A fault of which nobody can tell what was meant: help is offered in place of a command. */
export function faultWithHelp(grammar: Grammar, items: readonly Item[], reason: string, topic: string): Fault {
  return { ok: false, reason, at: placeOf(items), repair: grammar.helpOn(topic) };
}

/** From the first character of some items to behind the last. */
export function placeOf(items: readonly Item[]): { start: number; end: number } | undefined {
  const words = items.flatMap((item) => item.words);
  if (words.length === 0) return undefined;
  return { start: Math.min(...words.map(({ start }) => start)), end: Math.max(...words.map(({ end }) => end)) };
}
