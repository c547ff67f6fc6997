import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf, oneLine } from "../values/words.js";

/**
 * How many columns a terminal uses for a text without line breaks and colours (see `clean`). If terminals disagree, the
 * larger width counts, because a line that is too long breaks a table.
 */
export function textWidth(text: string): number {
  if (SINGLE.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/**
 * The most common characters, whose width is always one column: letters, dashes, quotes, the ellipsis, arrows,
 * mathematics, symbols for control characters, lines, blocks and marks.
 */
const SINGLE =
  /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2400-\u2426\u2500-\u25fc\u2713\u2717\ufffd]*$/;

/** A flag, a keycap, or joined or skin-toned emoji: several characters that are drawn as one emoji. */
const EMOJI = (() => {
  const one = "\\p{Extended_Pictographic}(?:\\ufe0f|(?<=\\p{Emoji_Modifier_Base})\\p{Emoji_Modifier})?";
  return new RegExp(`^(?:\\p{RI}{2}|[0-9#*]\\ufe0f?\\u20e3|${one}[\\u{e0020}-\\u{e007f}]*(?:\\u200d${one})*)$`, "u");
})();

/** Marks on the character before them; the later parts of a Hangul syllable; invisible characters. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]/u;

function graphemeWidth(grapheme: string): number {
  const characters = Array.from(grapheme);
  if (characters.length > 1 && EMOJI.test(grapheme)) return 2;
  return characters.reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  // It requests the wide form of the previous character; some terminals apply it to every character.
  if (code === 0xfe0f) return 1;
  // Half a flag is drawn as a wide letter.
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return 2;
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(code);
}

/** Unassigned and private characters: their width differs between terminals. */
const UNSURE = /[\p{Cn}\p{Co}]/gu;

/** A leading mark would combine with the previous character. */
const HANGING = /^\p{M}/u;

/**
 * Untrusted text for a terminal: on one line, with a visible replacement for every character that could move the
 * cursor, change colours, turn the writing direction or hide something.
 */
export function clean(text: string): string {
  return SINGLE.test(text) ? text : oneLine(text).replace(UNSURE, "\ufffd").replace(HANGING, "◌$&");
}

/** The text without its middle if it is wider than `width`; its end keeps `atEnd` columns. */
export function fit(text: string, width: number, atEnd: number = Math.floor((width - 1) / 2)): string {
  if (textWidth(text) <= width) return text;
  const signs = signsOf(text);
  const head = takeUpTo(signs, width - 1 - atEnd);
  const tail = takeUpTo(signs.reverse(), atEnd).reverse();
  // The text may have been shortened before.
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

const signsOf = (text: string): string[] => (SINGLE.test(text) ? Array.from(text) : graphemesOf(text));

function takeUpTo(signs: readonly string[], width: number): string[] {
  let sum = 0;
  const end = signs.findIndex((sign) => {
    sum += graphemeWidth(sign);
    return sum > width;
  });
  return signs.slice(0, end === -1 ? signs.length : end);
}
