// The characters that mean something, with those that phones and input methods type in their place. The lists are for
// the inside of a character class.

/** Blanks of every width, and marks without any that keyboards and copying leave behind. */
export const BLANKS = String.raw`\s\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069`;

/** What operators are made of. */
export const OPERATORS = ":=!<>~≥≤≠：＝！＜＞～〜≧≦⩾⩽";

/** What stands between the values of a list. */
export const COMMAS = ",，、";

/** What stands for any characters. An ellipsis is what a shortened id has in its middle. */
export const STARS = "*＊…";

/** A minus, and the dashes that are typed for it. */
export const DASHES = String.raw`\-－–—−`;

/** What Unicode does not count as the same as the usual sign. */
const usual: Readonly<Record<string, string>> = { "〜": "~", "≧": "≥", "⩾": "≥", "≦": "≤", "⩽": "≤" };

/** A name, an operator or a number as it would be typed without an input method: `ｓｉｎｃｅ：２ｈ` is `since:2h`. */
export function plain(text: string): string {
  return text.normalize("NFKC").replaceAll(/[〜≧⩾≦⩽]/g, (sign) => usual[sign] ?? sign);
}

/** A name as it stands in the tables: plain, and in small letters. */
export function nameOf(text: string): string {
  return plain(text).toLowerCase();
}

/** A text, and for each of its characters whether it was quoted: what is quoted is no wildcard and no comma. */
export interface Marked {
  readonly text: string;
  /** As long as the text: `q` where it was quoted, `-` where it was not. */
  readonly marks: string;
}

/** A text of which nothing was quoted. */
export function unquoted(text: string): Marked {
  return { text, marks: "-".repeat(text.length) };
}

/** Whether something of a text was quoted. */
export function isQuoted({ marks }: Marked): boolean {
  return marks.includes("q");
}

/** A part of a marked text. */
export function slice({ text, marks }: Marked, from: number, to?: number): Marked {
  return { text: text.slice(from, to), marks: marks.slice(from, to) };
}

/** Several texts as one, with a blank or nothing between them that nobody quoted. */
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

/** The parts of a text between its wildcards. */
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

/** What a value follows: `status>=` of `status>=400`. */
export interface Key {
  readonly dashes: "" | "-" | "--";
  readonly name: string;
  readonly operator: string;
  /** How many characters of the text it takes. */
  readonly length: number;
}

const KEY = new RegExp(`^([${DASHES}]{0,2}|[!！])([\\p{L}_][\\p{L}\\p{N}_-]*)\\s*([${OPERATORS}]+)\\s*`, "u");

/** The name and the operator with which a text begins; nothing that is quoted is a part of them. */
export function keyOf({ text, marks }: Marked): Key | undefined {
  const firstQuoted = marks.indexOf("q");
  const [found, dashes = "", name = "", operator = ""] =
    KEY.exec(firstQuoted < 0 ? text : text.slice(0, firstQuoted)) ?? [];
  if (found === undefined) return undefined;
  return { dashes: plainDashes(dashes), name: plain(name), operator: plain(operator), length: found.length };
}

/** Phones make one long dash of two short ones. An exclamation mark says "not" elsewhere, as a minus does here. */
function plainDashes(typed: string): Key["dashes"] {
  if (typed === "") return "";
  return typed === "—" || typed.length === 2 ? "--" : "-";
}

const SEPARATOR = new RegExp(`[${COMMAS}${STARS}]|\\.\\.`, "g");

// What a value cannot hold, or begin with, and still be one word that means itself.
const NOT_INSIDE = `${BLANKS}${COMMAS}${STARS}"＂“„”«»「」『』'‘‚`;
const PLAIN = new RegExp(`^[^${NOT_INSIDE}’${OPERATORS}](?:[^${NOT_INSIDE}]|(?<=[\\p{L}\\p{N}])')*$`, "u");

/** A text as it must be typed to mean just itself. */
export function writeText(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

/** In quotes. A double quote inside is put in single ones, because nothing escapes it. */
export function quoted(text: string): string {
  return (text.match(/"+|[^"]+/g) ?? [""]).map((run) => (run.startsWith('"') ? `'${run}'` : `"${run}"`)).join("");
}

/** A marked text as it must be typed to be cut into this again. */
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
