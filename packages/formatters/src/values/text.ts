import { aroundMiddle } from "./graphemes.js";

/** Stands where there is nothing to show. */
export const NOTHING = "–";

/** Most texts. They need no second look, which would be slow. */
const PLAIN = /^[ -~]*$/;

// All that could make a text from outside look like something else than it is.
const UNRULY = new RegExp(
  [
    // What moves the cursor or ends a line; halves of characters; what parts a text from notes on it.
    "[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]",
    // What nobody sees, such as turns of the direction of writing, but for what scripts and emoji are written with.
    "(?![\\u200c\\u200d\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}",
    // These too, where they only hide: joiners beside plain letters,
    "(?<![^\\0-\\x7f])[\\u200c\\u200d]|[\\u200c\\u200d](?![^\\0-\\x7f])",
    // variants of plain letters that are no keycap,
    "(?<![^\\0-\\x7f])(?!\\ufe0f\\u20e3)[\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    // and tags that do not say in a few letters whose flag it is.
    "(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007f}]{0,6})[\\u{e0020}-\\u{e007f}]",
  ].join("|"),
  "gu",
);

/** The text on one line, with every sign that controls or hides as one that can be seen. */
export function oneLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNRULY, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** Any value as text on one line; never throws. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null || value === "") return NOTHING;
  return oneLine(typeof value === "string" ? value : (jsonOf(value) ?? typeof value));
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, or a number that JSON does not know.
    return undefined;
  }
}

/** The text with its middle left out where it is longer than `longest` characters; begins and ends as before. */
export function shortened(text: string, longest: number, atEnd: number = Math.floor((longest - 1) / 2)): string {
  if (text.length <= longest) return text;
  const atStart = longest - 1 - atEnd;
  if (PLAIN.test(text)) return `${text.slice(0, atStart)}…${text.slice(text.length - atEnd)}`;
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const headEnd = characters.slice(0, atStart).join("").length;
  const tailStart = text.length - characters.slice(characters.length - atEnd).join("").length;
  return aroundMiddle(text, headEnd, tailStart).join("…");
}
