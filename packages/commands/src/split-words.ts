import { BLANKS, COMMAS, type Marked, OPERATORS, quoted, STARS, unquoted, writeWord } from "./words.js";

/** One word of the input. */
export interface Word extends Marked {
  /** Its position in the input; the words of an argv count as joined by spaces. */
  readonly start: number;
  readonly end: number;
  /** The text that splits into exactly this word. */
  readonly raw: string;
}

/** The words, or the quote that is never closed. */
type SplitResult =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly quote: string; readonly start: number; readonly repair: string };

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

// These are also apostrophes and parts of names: they close only at the end of something, and a single one opens
// nothing.
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
    if ("quote" in word) {
      const rest = input.slice(word.start + 1).trim();
      return { ok: false, ...word, repair: input.slice(0, word.start) + (rest && quoted(rest)) };
    }
    words.push({ ...word, raw: input.slice(word.start, word.end) });
    start = word.end;
  }
}

/** Takes words that a shell has split. Quotes inside them mean the same as in a line. */
export function splitArguments(args: readonly string[]): SplitResult {
  const words: Word[] = [];
  let start = 0;
  for (const arg of args) {
    const word = readWord(arg, 0, false, new Set());
    if ("quote" in word) {
      const repair = args.map((each) => writeWord(unquoted(each.replaceAll(/["＂“„”«»]/g, "")))).join(" ");
      return { ok: false, quote: word.quote, start: start + word.start, repair };
    }
    words.push({ ...word, start, end: start + arg.length, raw: writeWord(word) });
    start += arg.length + 1;
  }
  return { ok: true, words };
}

type ReadWord = Omit<Word, "raw"> | { readonly quote: string; readonly start: number };

/** Reads one word. `hopeless` holds the quotes that are known to have no closing partner. */
function readWord(input: string, start: number, cutsAtBlanks: boolean, hopeless: Set<string>): ReadWord {
  let text = "";
  let marks = "";
  let at = start;
  // A quote may open here, whatever precedes it.
  let fresh = start;
  while (at < input.length) {
    const character = input.charAt(at);
    if (cutsAtBlanks && BLANK.test(character)) break;
    const close = hopeless.has(character) ? undefined : closers.get(character);
    const opens = close !== undefined && (at === fresh || BEFORE_QUOTE.test(input.slice(Math.max(start, at - 2), at)));
    const isTimid = TIMID.test(character);
    const end = opens ? closing(input, at + 1, close, isTimid) : -1;
    if (opens && end < 0) {
      if (!isTimid) return { quote: character, start: at };
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
  return { text, marks, start, end: at };
}

function closing(input: string, from: number, close: string, isTimid: boolean): number {
  for (let at = from; at < input.length; at++) {
    if (!close.includes(input.charAt(at))) continue;
    if (!isTimid || at + 1 === input.length || AFTER_QUOTE.test(input.charAt(at + 1))) return at;
  }
  return -1;
}

// Shells leave these alone.
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
