import { distance } from "fastest-levenshtein";

// Control characters, invisible ones that can turn or hide their neighbours, and lone surrogates. Joiners stay: emoji
// and many scripts need them.
const HARMFUL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with every character replaced that could break a line, move a cursor or turn the direction of writing. */
export function harmless(text: string): string {
  return text.replace(HARMFUL, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "␡" : "�";
  });
}

/** Whether a text can be shown unchanged. */
export function isHarmless(text: string): boolean {
  return text.search(HARMFUL) < 0;
}

/** The text, cut to a length; the cut shows as `…`. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Input as a message may repeat it. */
export function quote(text: string): string {
  return `"${harmless(shorten(text, 40))}"`;
}

/** The message about a wrong value. */
export function takes(subject: string, wanted: string, given: string): string {
  return `${subject} takes ${wanted}, not ${quote(given)}.`;
}

/** `a, b or c`. */
export function oneOfThese(words: readonly string[], link: "or" | "and" | "nor" = "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${link} ${words.at(-1)}`;
}

/** The text with a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A count with thousands separators: `1,000`. */
export function grouped(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
}

// Longer words are not typos, and comparing them takes quadratic time.
const LONGEST = 40;

/** The candidate that was probably meant; undefined if none is near. */
export function nearestOf(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length === 0 || typed.length > LONGEST) return undefined;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    // Between equally near candidates, swapped letters are likelier than extra ones.
    const difference = differenceOf(candidate, typed) + Math.abs(candidate.length - typed.length) / 100;
    if (difference < least) {
      least = difference;
      nearest = candidate;
    }
  }
  return nearest;
}

function differenceOf(candidate: string, typed: string): number {
  // A typed prefix is nearer than any typo, from three letters: a shorter one may be another word, such as "me".
  if (typed.length >= 3 && candidate.startsWith(typed)) return 0.5;
  const count = editDistance(candidate.toLowerCase(), typed);
  const allowed = typed.length < 4 ? 0 : typed.length < 5 ? 1 : typed.length < 9 ? 2 : 3;
  return count <= allowed ? count : Number.POSITIVE_INFINITY;
}

/** The edit distance of two words, in which one pair of swapped neighbours counts as a single edit. */
function editDistance(a: string, b: string): number {
  const swaps = Array.from({ length: Math.max(b.length - 1, 0) }, (_, at) => {
    return b.slice(0, at) + b.charAt(at + 1) + b.charAt(at) + b.slice(at + 2);
  });
  return Math.min(distance(a, b), ...swaps.map((swapped) => 1 + distance(a, swapped)));
}

// The lists are for use within a character class. They include the variants that phones and input methods type for each
// character.

/** Spaces of every width, and invisible marks that keyboards and copying add. */
const BLANKS = String.raw`\s\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069`;

/** The characters of operators. */
const OPERATORS = ":=!<>~≥≤≠：＝！＜＞～〜≧≦⩾⩽";

/** A character of an operator. Slack writes a channel as <#C0123|general> and a person as <@U0ANN>: both begin with none. */
export const OPERATOR_SIGN = `(?:(?!<[#@])[${OPERATORS}])`;

/** Separators of list values. */
export const COMMAS = ",，、";

/** Wildcards. An ellipsis is the middle of a shortened id. */
const STARS = "*＊…";

/** A minus, and the dashes that are typed for it. */
export const DASHES = String.raw`\-－–—−`;

/** Characters that Unicode normalization leaves different. */
const usual: Readonly<Record<string, string>> = { "〜": "~", "≧": "≥", "⩾": "≥", "≦": "≤", "⩽": "≤" };

const ASCII = /^[ -~]*$/;

/** Text as typed without an input method: `ｓｉｎｃｅ：２ｈ` is `since:2h`. */
export function plain(text: string): string {
  // Almost every text, and looked at for each word of each name.
  if (ASCII.test(text)) return text;
  return text.normalize("NFKC").replaceAll(/[〜≧⩾≦⩽]/g, (sign) => usual[sign] ?? sign);
}

/** A name as it is spelled in the tables: plain and in lower case. */
export function nameOf(text: string): string {
  return plain(text).toLowerCase();
}

/** A text with a mark for each quoted character: quoted ones are neither wildcards nor commas. */
export interface Marked {
  readonly text: string;
  /** As long as the text: `q` for a quoted character, `-` for any other. */
  readonly marks: string;
}

/** A text without quoted characters. */
export function unquoted(text: string): Marked {
  return { text, marks: "-".repeat(text.length) };
}

/** Whether any character was quoted. */
export function isQuoted({ marks }: Marked): boolean {
  return marks.includes("q");
}

/** A part of a marked text. */
export function slice({ text, marks }: Marked, from: number, to?: number): Marked {
  return { text: text.slice(from, to), marks: marks.slice(from, to) };
}

/** Several texts as one, with a space or nothing between them. */
export function joined(between: "" | " ", ...all: readonly Marked[]): Marked {
  const mark = between && "-";
  return { text: all.map(({ text }) => text).join(between), marks: all.map(({ marks }) => marks).join(mark) };
}

const COMMA = new RegExp(`[${COMMAS}]`, "g");
const STAR = new RegExp(`[${STARS}]`, "g");

/** The values of a list. */
export function splitAtCommas(marked: Marked): Marked[] {
  return splitAt(marked, COMMA);
}

/** The parts between wildcards. */
export function splitAtStars(marked: Marked): Marked[] {
  return splitAt(marked, STAR);
}

/** Splits at separators that were not quoted. */
export function splitAt(marked: Marked, separator: RegExp): Marked[] {
  const parts: Marked[] = [];
  let from = 0;
  for (const { 0: found, index } of marked.text.matchAll(separator)) {
    if (marked.marks.slice(index, index + found.length).includes("q")) continue;
    parts.push(slice(marked, from, index));
    from = index + found.length;
  }
  return [...parts, slice(marked, from)];
}

/** The name and the operator before a value: `status>=` of `status>=400`. */
export interface Key {
  readonly dashes: "" | "-" | "--";
  readonly name: string;
  readonly operator: string;
  /** Its length in characters. */
  readonly length: number;
}

const KEY = new RegExp(`^([${DASHES}]{0,2}|[!！])([\\p{L}_][\\p{L}\\p{N}_-]*)\\s*(${OPERATOR_SIGN}+)\\s*`, "u");

/** The unquoted name and operator at the start of a text. */
export function keyOf({ text, marks }: Marked): Key | undefined {
  const firstQuoted = marks.indexOf("q");
  const [found, dashes = "", name = "", operator = ""] =
    KEY.exec(firstQuoted < 0 ? text : text.slice(0, firstQuoted)) ?? [];
  if (found === undefined) return undefined;
  return { dashes: plainDashes(dashes), name: plain(name), operator: plain(operator), length: found.length };
}

/** Phones turn two short dashes into a long one. An exclamation mark negates like a minus. */
function plainDashes(typed: string): Key["dashes"] {
  if (typed === "") return "";
  return typed === "—" || typed.length === 2 ? "--" : "-";
}

const SEPARATOR = new RegExp(`[${COMMAS}${STARS}]|\\.\\.`, "g");

// A value with any of these characters must be quoted.
const NOT_INSIDE = `${BLANKS}${COMMAS}${STARS}"＂“„”«»「」『』'‘‚`;
const PLAIN = new RegExp(`^[^${NOT_INSIDE}’${OPERATORS}](?:[^${NOT_INSIDE}]|(?<=[\\p{L}\\p{N}])')*$`, "u");

/** A text as it must be typed to be read unchanged. */
export function writeText(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

/** The texts between wildcards, as they must be typed to be read unchanged. */
export function writePattern(pattern: readonly string[]): string {
  return pattern.map((part) => part && writeText(part)).join("*");
}

/** The text in quotes. Double quotes inside it become single ones, because they cannot be escaped. */
export function quoted(text: string): string {
  return (text.match(/"+|[^"]+/g) ?? [""]).map((run) => (run.startsWith('"') ? `'${run}'` : `"${run}"`)).join("");
}

/** A marked text as it must be typed to be split into the same text again. */
export function writeWord(marked: Marked): string {
  if (marked.text === "") return '""';
  let from = keyOf(marked)?.length ?? 0;
  let written = marked.text.slice(0, from).replaceAll(/\s+/g, "");
  const parts = splitAt(slice(marked, from), SEPARATOR);
  for (const [index, part] of parts.entries()) {
    if (part.text !== "") written += isQuoted(part) ? quoted(part.text) : writeText(part.text);
    from += part.text.length;
    const length = index === parts.length - 1 ? 0 : marked.text.startsWith("..", from) ? 2 : 1;
    written += marked.text.slice(from, from + length);
    from += length;
  }
  return written;
}

/** One word of the input. */
export interface Word extends Marked {
  /** The text that splits into exactly this word. */
  readonly raw: string;
}

/** The words, or the quote that is never closed. */
type SplitResult =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly quote: string };

const BLANK = new RegExp(`[${BLANKS}]`);

/** The characters that close each quote. Phones and languages differ, and mix them. */
const closers: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["＂", "＂"],
  ["“", '”“"'],
  ["„", '“”"'],
  ["”", '”"'],
  ["«", "»"],
  ["»", "«"],
  ["'", "'’"],
  ["‘", "’'"],
  ["‚", "‘’'"],
  ["「", "」"],
  ["『", "』"],
]);

// These are also apostrophes and parts of names: they close only at the end of a word, and a single one opens nothing.
const TIMID = /['‘‚「『]/;
const AFTER_QUOTE = new RegExp(`[${BLANKS}${COMMAS}${STARS}.'"“„”«»‘‚」』]`);
const BEFORE_QUOTE = new RegExp(`(?:[${BLANKS}${OPERATORS}${COMMAS}${STARS}]|\\.\\.)$`);

/** Splits a line into words. */
export function splitWords(input: string): SplitResult {
  const words: Word[] = [];
  const hopeless = new Set<string>();
  let start = 0;
  for (;;) {
    while (start < input.length && BLANK.test(input.charAt(start))) start++;
    if (start >= input.length) return { ok: true, words };
    const word = readWord(input, start, true, hopeless);
    if ("quote" in word) return { ok: false, quote: word.quote };
    const { text, marks, end } = word;
    words.push({ text, marks, raw: input.slice(start, end) });
    start = end;
  }
}

/** Reads words that a shell has split. Quotes inside them mean the same as in a line. */
export function splitArguments(args: readonly string[]): SplitResult {
  const words: Word[] = [];
  for (const arg of args) {
    const word = readWord(arg, 0, false, new Set());
    if ("quote" in word) return { ok: false, quote: word.quote };
    words.push({ text: word.text, marks: word.marks, raw: writeWord(word) });
  }
  return { ok: true, words };
}

type ReadWord = (Marked & { readonly end: number }) | { readonly quote: string };

/** Reads one word. `hopeless` holds the quotes that have no closing partner. */
function readWord(input: string, start: number, cutsAtBlanks: boolean, hopeless: Set<string>): ReadWord {
  let text = "";
  let marks = "";
  let at = start;
  // A quote may open here, after any character.
  let fresh = start;
  while (at < input.length) {
    const character = input.charAt(at);
    if (cutsAtBlanks && BLANK.test(character)) break;
    const close = hopeless.has(character) ? undefined : closers.get(character);
    const opens = close !== undefined && (at === fresh || BEFORE_QUOTE.test(input.slice(Math.max(start, at - 2), at)));
    const isTimid = TIMID.test(character);
    const end = opens ? closing(input, at + 1, close, isTimid) : -1;
    if (opens && end < 0) {
      if (!isTimid) return { quote: character };
      hopeless.add(character);
    }
    if (end < 0) {
      text += character;
      marks += "-";
      at += 1;
    } else {
      text += input.slice(at + 1, end);
      marks += "q".repeat(end - at - 1);
      at = end + 1;
      fresh = at;
    }
  }
  return { text, marks, end: at };
}

function closing(input: string, from: number, close: string, isTimid: boolean): number {
  for (let at = from; at < input.length; at++) {
    if (!close.includes(input.charAt(at))) continue;
    if (!isTimid || at + 1 === input.length || AFTER_QUOTE.test(input.charAt(at + 1))) return at;
  }
  return -1;
}

// Shells leave these characters unchanged.
const HARMLESS = /^[\w@%+=:,./-]+$/;
// Around spaces, shell quotes mean the same as ours; elsewhere the shell would remove them.
const QUOTED = /^"\p{L}[^"$`\\!]*\s[^"$`\\!]*"$/u;

/** A command as it must be typed in a shell: `logs webhooks 'status>=400'`. */
export function forShell(text: string): string {
  const cut = splitWords(text);
  if (!cut.ok) return inQuotes(text);
  return cut.words.map(({ raw }) => (HARMLESS.test(raw) || QUOTED.test(raw) ? raw : inQuotes(raw))).join(" ");
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
