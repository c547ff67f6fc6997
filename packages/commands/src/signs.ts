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
