import { BLANKS, COMMAS, type Marked, OPERATORS, quoted, STARS, unquoted, writeWord } from "./words.js";

/** A word as it was typed. */
export interface Word extends Marked {
  /** Where it stands in the input; the end is not included. The words of an argv count as joined by blanks. */
  readonly start: number;
  readonly end: number;
  /** The text that is cut into just this word. */
  readonly raw: string;
}

/** The words, or the quote that was opened and never closed. */
type Cut =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly quote: string; readonly start: number; readonly repair: string };

const BLANK = new RegExp(`[${BLANKS}]`);

/** Which characters close what another has opened. Phones and languages differ, and mix them. */
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

// These are apostrophes, or parts of names, too: they close only at the end of something, and open nothing where they
// are alone.
const TIMID = /['‘‚「『]/;
const AFTER_QUOTE = new RegExp(`[${BLANKS}${COMMAS}${STARS}.'"“„”«»‘‚」』]`);
const BEFORE_QUOTE = new RegExp(`(?:[${BLANKS}${OPERATORS}${COMMAS}${STARS}]|\\.\\.)$`);

/** Cuts what was typed in one line. */
export function cutText(input: string): Cut {
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

/** Takes words that a shell has cut. Quotes inside them mean what they mean in a line. */
export function cutArguments(args: readonly string[]): Cut {
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

/** Reads one word. A quote that was not closed once will not be closed later: it is hopeless to look for its end again. */
function readWord(input: string, start: number, cutsAtBlanks: boolean, hopeless: Set<string>): ReadWord {
  let text = "";
  let marks = "";
  let at = start;
  // Where a quote may open, whatever stands before it.
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

// No shell does anything with these.
const HARMLESS = /^[\w@%+=:,./-]+$/;
// Where there is a blank, a shell's quotes do what ours do; elsewhere they would be gone, and with them what they say.
const QUOTED = /^"\p{L}[^"$`\\!]*\s[^"$`\\!]*"$/u;

/** The text of a command as it must be typed in a shell: `logs webhooks 'status>=400'`. */
export function forShell(text: string): string {
  const cut = cutText(text);
  if (!cut.ok) return inQuotes(text);
  return cut.words.map(({ raw }) => (HARMLESS.test(raw) || QUOTED.test(raw) ? raw : inQuotes(raw))).join(" ");
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
