import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf, oneLine } from "../values/text.js";

/**
 * How many columns a terminal uses for a text without line breaks and colours (see `clean`). If terminals disagree, the
 * larger width counts, because a line that is too long breaks a table.
 */
export function textWidth(text: string): number {
  const width = easyWidth(text);
  return width >= 0 ? width : graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The width of characters that stand alone and have an undisputed width. 0 means any other. */
const EASY = new Uint8Array(0x10000)
  .fill(1, 0x20, 0x7f)
  .fill(1, 0xa0, 0xad)
  .fill(1, 0xae, 0x300)
  // Dashes, quotes, the ellipsis; arrows, mathematics; what stands for control characters; lines, blocks, marks.
  .fill(1, 0x2010, 0x2028)
  .fill(1, 0x2190, 0x2300)
  .fill(1, 0x2400, 0x2427)
  .fill(1, 0x2500, 0x25fd)
  .fill(1, 0x2713, 0x2714)
  .fill(1, 0x2717, 0x2718)
  // Kana, Chinese characters, Hangul, full-width forms.
  .fill(2, 0x3041, 0x3097)
  .fill(2, 0x30a0, 0x3100)
  .fill(2, 0x3400, 0x4dc0)
  .fill(2, 0x4e00, 0xa000)
  .fill(2, 0xac00, 0xd7a4)
  .fill(2, 0xff01, 0xff61)
  .fill(1, 0xfffd, 0xfffe);

/** The width of a text of such characters only; -1 for any other. */
function easyWidth(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at += 1) {
    const one = EASY[text.charCodeAt(at)];
    if (!one) return -1;
    width += one;
  }
  return width;
}

/** A flag, a keycap, or joined or skin-toned emoji: several characters that are drawn as one emoji. */
const EMOJI = (() => {
  const one = "\\p{Extended_Pictographic}(?:\\ufe0f|(?<=\\p{Emoji_Modifier_Base})\\p{Emoji_Modifier})?";
  return new RegExp(`^(?:\\p{RI}{2}|[0-9#*]\\ufe0f?\\u20e3|${one}[\\u{e0020}-\\u{e007f}]*(?:\\u200d${one})*)$`, "u");
})();

/** Marks on the character before them; the later parts of a Hangul syllable; invisible characters. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** The width of one grapheme. */
function graphemeWidth(grapheme: string): number {
  const characters = Array.from(grapheme);
  if (characters.length > 1 && EMOJI.test(grapheme)) return 2;
  return characters.reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  // It requests the wide form of the character before it; some terminals apply it to every character.
  if (code === 0xfe0f) return 1;
  // Half a flag is drawn as a wide letter.
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return 2;
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(code);
}

/** Unassigned and private characters: their width differs between terminals. */
const UNSURE = /[\p{Cn}\p{Co}]/gu;

/** A leading mark would combine with whatever precedes it. */
const HANGING = /^\p{M}/u;

/**
 * A text from outside for a terminal: on one line, with a visible replacement for every character that could move the
 * cursor, change colours, turn the writing direction or hide something.
 */
export function clean(text: string): string {
  return easyWidth(text) >= 0 ? text : oneLine(text).replace(UNSURE, "\ufffd").replace(HANGING, "◌$&");
}

/** The text without its middle if it is wider than `width`; its end keeps `atEnd` columns. */
export function fit(text: string, width: number, atEnd: number = Math.floor((width - 1) / 2)): string {
  if (textWidth(text) <= width) return text;
  const signs = signsOf(text);
  const head = takeUpTo(signs, width - 1 - atEnd);
  const tail = takeUpTo(signs.reverse(), atEnd).reverse();
  // It may have been shortened before.
  return `${head.join("")}…${tail.join("")}`.replace(/…{2,}/, "…");
}

/** The text without its end if it is wider than `width`. */
export function cutEnd(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return `${takeUpTo(signsOf(text), width - 1).join("")}…`.replace(/…{2,}$/, "…");
}

/** Lines of at most that width, broken between words if possible. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, lineWidth] = ["", -1];
  for (const word of text.split(" ")) {
    const wordWidth = textWidth(word);
    if (lineWidth + 1 + wordWidth <= width) {
      line = lineWidth < 0 ? word : `${line} ${word}`;
      lineWidth += 1 + wordWidth;
      continue;
    }
    if (lineWidth >= 0) lines.push(line);
    const pieces = wordWidth <= width ? [word] : broken(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
    lineWidth = textWidth(line);
  }
  return [...lines, line];
}

/** A word that no line can hold, in pieces. */
function broken(word: string, width: number): string[] {
  const pieces: string[] = [];
  const signs = signsOf(word);
  for (let at = 0; at < signs.length; ) {
    const piece = takeUpTo(signs.slice(at, at + width), width);
    // A character may be wider than the whole line.
    pieces.push(piece.length > 0 ? piece.join("") : "…");
    at += Math.max(piece.length, 1);
  }
  return pieces;
}

const signsOf = (text: string): string[] => (easyWidth(text) >= 0 ? Array.from(text) : graphemesOf(text));

function takeUpTo(signs: readonly string[], width: number): string[] {
  let sum = 0;
  const end = signs.findIndex((sign) => {
    sum += graphemeWidth(sign);
    return sum > width;
  });
  return signs.slice(0, end === -1 ? signs.length : end);
}
