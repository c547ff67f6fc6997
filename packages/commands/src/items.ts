import type { LogKind } from "@media-ops/contract";
import { outcomes } from "./filters/field-types.js";
import type { Grammar } from "./grammar.js";
import { kindNamed } from "./kinds.js";
import {
  COMMAS,
  DASHES,
  isQuoted,
  joined,
  type Key,
  keyOf,
  type Marked,
  nameOf,
  OPERATOR_SIGN,
  plain,
  slice,
  unquoted,
  type Word,
} from "./words.js";

/** A word without a name. */
export interface Bare extends Marked {
  readonly form: "bare";
  readonly words: readonly Word[];
}

/** A name with a value, in one word or several: `status>=400`, `since:2h`, `status >= 400`. */
export interface Keyed {
  readonly form: "keyed";
  readonly minus: boolean;
  readonly key: string;
  readonly operator: string;
  readonly value: Marked;
  readonly words: readonly Word[];
}

/** A part of a command. */
export type Item = Bare | Keyed;

/** The text that is split into exactly this item. */
export function rawOf({ words }: Item): string {
  return words.map(({ raw }) => raw).join(" ");
}

/** The typed text without quotes, for messages. */
export function textOf({ words }: Item): string {
  return words.map(({ text }) => text).join(" ");
}

const FLAG = new RegExp(`^[${DASHES}]`);

/** Whether a word looks like an option of other programs: `--json`. */
export function isFlag(word: Bare): boolean {
  return !isQuoted(word) && FLAG.test(word.text);
}

const OUTCOME = new RegExp(`^([${DASHES}!！]?)(${Object.keys(outcomes).join("|")})$`, "i");

/** The filter that a word is by itself: `failed`, `-ok`. */
export function outcomeSaid(word: Bare): { readonly negated: boolean } | undefined {
  const [, minus, name] = (!isQuoted(word) && OUTCOME.exec(plain(word.text))) || [];
  return name === undefined ? undefined : { negated: (nameOf(name) === "ok") !== (minus !== "") };
}

/** The kind of log that the items name. */
export function kindAmong(items: readonly Item[]): LogKind | undefined {
  const named = (item: Item): LogKind | undefined => {
    if (item.form === "bare") return kindNamed(item.text);
    return nameOf(item.key) === "kind" ? kindNamed(item.value.text) : undefined;
  };
  return items.map(named).find(Boolean);
}

/** Groups words into items. Only before the operator of a known name may there be a space. */
function itemsOf(words: readonly Word[], grammar: Grammar): Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at < words.length) {
    const item = keyedAt(words, at, grammar) ?? bareAt(words, at);
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
    // "media api", and "> 10MB", which only lacks its name
    if (/^media$/i.test(first.text) && /^apis?$/i.test(second.text)) return take(2, joined(" ", first, second));
    if (first.text !== "" && operatorOf(first) === first.text) return take(2, joined("", first, second));
  }
  return take(1, withoutComma(first));
}

function keyedAt(words: readonly Word[], at: number, grammar: Grammar): Keyed | undefined {
  const [first, second, third] = words.slice(at, at + 3);
  if (!first) return undefined;
  const isValue = (word: Word | undefined): word is Word => word !== undefined && !splitKey(word, grammar);
  const isValueOf = (option: string, word: Word | undefined): word is Word =>
    isValue(word) || (word !== undefined && grammar.compares(option, keyOf(word)?.name ?? ""));
  const keyed = ({ dashes, name, operator }: Key, start: Marked, count: number): Keyed => {
    const { list, end } = wholeList(words, at + count, start, isValue);
    const value = end < words.length ? withoutComma(list) : list;
    return { form: "keyed", minus: dashes === "-", key: name, operator, value, words: words.slice(at, end) };
  };

  // since:2h, and since: with its value in the next word
  const split = splitKey(first, grammar);
  if (split) {
    const isOpen = split.value.text === "" && !isClosed(first);
    return isOpen && isValueOf(split.key.name, second) ? keyed(split.key, second, 2) : keyed(split.key, split.value, 1);
  }
  const key = keyOf(unquoted(`${first.text}:`));
  if (!key || !second || isQuoted(first) || !grammar.isKey(key.name) || key.length !== first.text.length + 1)
    return undefined;
  // when p95>2s, when count > 20
  const compared = keyOf(second)?.name ?? (third && operatorOf(third) !== "" ? second.text : "");
  if (grammar.compares(key.name, compared)) return keyed(key, second, 2);
  // status >= 400, status >=400
  const operator = operatorOf(second);
  if (operator !== "" && kindNamed(key.name) === undefined) {
    const typed = { ...key, operator: plain(operator) };
    const value = slice(second, operator.length);
    return value.text === "" && isValueOf(key.name, third) ? keyed(typed, third, 3) : keyed(typed, value, 2);
  }
  // --since 2h
  return key.dashes === "--" && isValue(second) ? keyed(key, second, 2) : undefined;
}

/** A value with the words in which its list continues: `type:a, b`. */
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

/** The text without a final comma, which belongs to a sentence and not to a list. */
function withoutComma(marked: Marked): Marked {
  const end = marked.text.length - 1;
  return end > 0 && isCommaAt(marked, end) ? slice(marked, 0, end) : marked;
}

const OPERATOR = new RegExp(`^${OPERATOR_SIGN}*`);

/** The operator at the start of a word, or an empty text. */
function operatorOf({ text, marks }: Marked): string {
  return marks.startsWith("-") ? (OPERATOR.exec(text)?.[0] ?? "") : "";
}

/** The name and operator at the start of a word, and the rest. */
function splitKey(word: Word, grammar: Grammar): { key: Key; value: Marked } | undefined {
  // 'status>=400' in quotes comes from the help for shells; other quoted text is just text.
  const isWhole = word.marks.startsWith("q") && !word.marks.includes("-");
  const marked = isWhole ? unquoted(word.text) : word;
  const key = keyOf(marked);
  if (!key || grammar.isKey(key.name)) return key && { key, value: slice(marked, key.length) };
  // "https://…" is a URL, and "Help!" is an exclamation.
  const isText =
    isWhole || /^!+$/.test(key.operator) || (key.operator === ":" && word.text.startsWith("//", key.length));
  return isText ? undefined : { key, value: slice(marked, key.length) };
}

/** Whether the word's value is empty on purpose: since:"" */
function isClosed({ raw, text }: Word): boolean {
  return !raw.endsWith(text.slice(-1));
}

/** The items without the name of the program, which is often copied along. */
function withoutProgram(items: readonly Item[]): readonly Item[] {
  const [first] = items;
  return first?.form === "bare" && /^\/?media$/i.test(first.text) ? items.slice(1) : items;
}

/** The range of input that some items cover. */
export function rangeOf(items: readonly Item[]): { start: number; end: number } | undefined {
  const words = items.flatMap((item) => item.words);
  if (words.length === 0) return undefined;
  return { start: Math.min(...words.map(({ start }) => start)), end: Math.max(...words.map(({ end }) => end)) };
}

/** The items of a command. A phrase at its start, such as `token list`, is one item with the command's name. */
export function commandItems(words: readonly Word[], grammar: Grammar): readonly Item[] {
  const items = withoutProgram(itemsOf(words, grammar));
  const phrase = grammar.phrases.find((one) => wordsAt(items, one.words));
  const said = phrase && wordsAt(items, phrase.words);
  if (!said) return items;
  const name: Bare = { form: "bare", ...unquoted(phrase.name), words: said.flatMap((item) => item.words) };
  return [name, ...items.slice(said.length)];
}

/** The first items, if they are these words. The last one may end as a question. */
export function wordsAt(items: readonly Item[], words: readonly string[]): readonly Bare[] | undefined {
  const first = items.slice(0, words.length).filter((item) => item.form === "bare");
  const typed = first.map(({ text }, at) =>
    nameOf(at > 0 && at === words.length - 1 ? text.replace(/[?？!！]+$/, "") : text),
  );
  // A single argument that holds a space is not two words.
  const isSaid = typed.length === words.length && typed.every((word, at) => word === words[at]);
  return isSaid && !first.some(isQuoted) ? first : undefined;
}
