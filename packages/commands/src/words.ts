// The lists are for the inside of a character class. They include what phones and input methods type in place of each
// character.

/** Spaces of every width, and invisible marks that keyboards and copying leave behind. */
export const BLANKS = String.raw`\s\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069`;

/** The characters of operators. */
export const OPERATORS = ":=!<>~≥≤≠：＝！＜＞～〜≧≦⩾⩽";

/** Separators of list values. */
export const COMMAS = ",，、";

/** Wildcards. An ellipsis is the middle of a shortened id. */
export const STARS = "*＊…";

/** A minus, and the dashes that are typed for it. */
export const DASHES = String.raw`\-－–—−`;

/** Characters that Unicode normalization leaves different. */
const usual: Readonly<Record<string, string>> = { "〜": "~", "≧": "≥", "⩾": "≥", "≦": "≤", "⩽": "≤" };

/** Text as typed without an input method: `ｓｉｎｃｅ：２ｈ` is `since:2h`. */
export function plain(text: string): string {
  return text.normalize("NFKC").replaceAll(/[〜≧⩾≦⩽]/g, (sign) => usual[sign] ?? sign);
}

/** A name as it stands in the tables: plain and in lower case. */
export function nameOf(text: string): string {
  return plain(text).toLowerCase();
}

/** A text, and which of its characters were quoted: quoted ones are neither wildcards nor commas. */
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
  /** How many characters of the text it takes. */
  readonly length: number;
}

const KEY = new RegExp(`^([${DASHES}]{0,2}|[!！])([\\p{L}_][\\p{L}\\p{N}_-]*)\\s*([${OPERATORS}]+)\\s*`, "u");

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

// What a value must not contain or begin with to be one plain word.
const NOT_INSIDE = `${BLANKS}${COMMAS}${STARS}"＂“„”«»「」『』'‘‚`;
const PLAIN = new RegExp(`^[^${NOT_INSIDE}’${OPERATORS}](?:[^${NOT_INSIDE}]|(?<=[\\p{L}\\p{N}])')*$`, "u");

/** A text as it must be typed to mean exactly itself. */
export function writeText(text: string): string {
  return PLAIN.test(text) ? text : quoted(text);
}

/** The text in quotes. Double quotes inside it are put into single ones, because nothing escapes them. */
export function quoted(text: string): string {
  return (text.match(/"+|[^"]+/g) ?? [""]).map((run) => (run.startsWith('"') ? `'${run}'` : `"${run}"`)).join("");
}

/** A marked text as it must be typed to be split into it again. */
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
