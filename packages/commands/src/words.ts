// Blanks of every width, no-break spaces among them, and the blank without width that some keyboards leave behind.
const SPACE = /[\s\u200b]/;

/** Which characters close what another has opened. Phones and languages differ, and mix them. */
const closers: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["“", '”“"'],
  ["„", '“”"'],
  ["”", '”"'],
  ["«", "»"],
  ["»", "«"],
  ["'", "'’"],
  ["‘", "’'"],
  ["‚", "‘’'"],
]);

// These are apostrophes, too: they close only at the end of something, and open nothing where they are alone.
const SINGLE = /['‘‚]/;
const AFTER_QUOTE = /[\s\u200b,*….'"“„”«»‘‚]/;
const BEFORE_QUOTE = /[\s:=~<>≥≤≠,*…]$|\.\.$/;

/** A text, and for each of its characters whether it was quoted: what is quoted is no wildcard and no comma. */
export interface Marked {
  readonly text: string;
  /** As long as the text: `q` where it was quoted, `-` where it was not. */
  readonly marks: string;
}

/** A word as it was typed. */
export interface Word extends Marked {
  /** Where it stands in the input; the end is not included. The words of an argv count as joined by blanks. */
  readonly start: number;
  readonly end: number;
  /** The text that is cut into just this word. */
  readonly raw: string;
}

/** The words, or the quote that was opened and never closed. */
export type Cut =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly quote: string; readonly start: number; readonly repair: string };

/** Cuts what was typed in one line. */
export function cutText(input: string): Cut {
  const words: Word[] = [];
  const hopeless = new Set<string>();
  let start = 0;
  for (;;) {
    while (start < input.length && SPACE.test(input.charAt(start))) start++;
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
      const repair = args.map((each) => writeWord(withoutQuotes(each))).join(" ");
      return { ok: false, quote: word.quote, start: start + word.start, repair };
    }
    words.push({ ...word, start, end: start + arg.length, raw: writeWord(word) });
    start += arg.length + 1;
  }
  return { ok: true, words };
}

type ReadWord = Omit<Word, "raw"> | { readonly quote: string; readonly start: number };

/** Reads one word. A quote that was not closed once will not be closed later: it is hopeless to look for its end again. */
function readWord(input: string, start: number, cutsAtSpaces: boolean, hopeless: Set<string>): ReadWord {
  let text = "";
  let marks = "";
  let at = start;
  let mayOpen = true;
  while (at < input.length) {
    const character = input.charAt(at);
    if (cutsAtSpaces && SPACE.test(character)) break;
    const close = mayOpen && !hopeless.has(character) ? closers.get(character) : undefined;
    const end = close === undefined ? -1 : closing(input, at + 1, close, SINGLE.test(character));
    if (close !== undefined && end < 0) {
      if (!SINGLE.test(character)) return { quote: character, start: at };
      hopeless.add(character);
    }
    if (end < 0) {
      text += character;
      marks += "-";
      mayOpen = BEFORE_QUOTE.test(input.slice(Math.max(start, at - 1), at + 1));
      at += 1;
    } else {
      text += input.slice(at + 1, end);
      marks += "q".repeat(end - at - 1);
      mayOpen = true;
      at = end + 1;
    }
  }
  return { text, marks, start, end: at };
}

function withoutQuotes(arg: string): Marked {
  return unquoted(arg.replaceAll(/["“„”«»]/g, ""));
}

function closing(input: string, from: number, close: string, isSingle: boolean): number {
  for (let at = from; at < input.length; at++) {
    if (!close.includes(input.charAt(at))) continue;
    if (!isSingle || at + 1 === input.length || AFTER_QUOTE.test(input.charAt(at + 1))) return at;
  }
  return -1;
}

/** A part of a marked text. */
export function slice({ text, marks }: Marked, from: number, to?: number): Marked {
  return { text: text.slice(from, to), marks: marks.slice(from, to) };
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

/** What a value follows: `status>=` of `status>=400`. */
export interface Key {
  readonly dashes: string;
  readonly name: string;
  readonly operator: string;
  /** How many characters of the text it takes. */
  readonly length: number;
}

/** The name and the operator with which a text begins; nothing that is quoted is a part of them. */
export function keyOf({ text, marks }: Marked): Key | undefined {
  const firstQuoted = marks.indexOf("q");
  const [found, dashes = "", name = "", operator = ""] =
    KEY.exec(firstQuoted < 0 ? text : text.slice(0, firstQuoted)) ?? [];
  return found === undefined ? undefined : { dashes, name, operator, length: found.length };
}

/** A text of which nothing was quoted. */
export function unquoted(text: string): Marked {
  return { text, marks: "-".repeat(text.length) };
}

const KEY = /^(-{0,2})([\p{L}_][\p{L}\p{N}_-]*)\s*([:=!<>~≥≤≠]+)\s*/u;

const SEPARATORS = /[,*…]|\.\./g;
const SEPARATOR_HERE = /^(?:[,*…]|\.\.)/;

// What a value cannot hold, or begin with, and still be one word that means itself.
const PLAIN = /^[^\s\u200b,*…"“„”«»'‘‚’:=!<>~≥≤≠](?:[^\s\u200b,*…"“„”«»'‘‚]|(?<=[\p{L}\p{N}])')*$/u;

/** A text as it must be typed to mean just itself. */
export function writeText(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

/** In quotes. A double quote inside is put in single ones, because nothing escapes it. */
function quoted(text: string): string {
  return (text.match(/"+|[^"]+/g) ?? [""]).map((run) => (run.startsWith('"') ? `'${run}'` : `"${run}"`)).join("");
}

/** A marked text as it must be typed to be cut into this again. */
export function writeWord(marked: Marked): string {
  if (marked.text === "") return '""';
  let from = keyOf(marked)?.length ?? 0;
  let written = marked.text.slice(0, from).replaceAll(/\s+/g, "");
  for (const part of splitAt(slice(marked, from), SEPARATORS)) {
    if (part.text !== "") written += part.marks.includes("q") ? quoted(part.text) : writeText(part.text);
    from += part.text.length;
    const [separator = ""] = SEPARATOR_HERE.exec(marked.text.slice(from)) ?? [];
    written += separator;
    from += separator.length;
  }
  return written;
}
