import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf } from "../values/graphemes.js";

/**
 * How many columns a terminal gives a text, which has no line breaks and no colours in it (`clean` makes it so). Where
 * terminals disagree, the larger width counts, because a line that is too long breaks a table.
 */
export function textWidth(text: string): number {
  const width = easyWidth(text);
  return width >= 0 ? width : graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** What most texts are made of: characters that stand alone and whose width nobody doubts. 0 means all others. */
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

/** The width of a text of such characters alone; -1 for all others. */
export function easyWidth(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at += 1) {
    const one = EASY[text.charCodeAt(at)];
    if (!one) return -1;
    width += one;
  }
  return width;
}

/** A flag, a keycap, or emoji that are joined or of a skin: several characters that are drawn as one emoji. */
const EMOJI = (() => {
  const one = "\\p{Extended_Pictographic}(?:\\ufe0f|(?<=\\p{Emoji_Modifier_Base})\\p{Emoji_Modifier})?";
  return new RegExp(`^(?:\\p{RI}{2}|[0-9#*]\\ufe0f?\\u20e3|${one}[\\u{e0020}-\\u{e007f}]*(?:\\u200d${one})*)$`, "u");
})();

/** Marks that stand on the character before them; the later parts of a Hangul syllable; what is not seen at all. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** Of one sign as `graphemesOf` gives it. */
export function graphemeWidth(grapheme: string): number {
  const characters = Array.from(grapheme);
  if (characters.length > 1 && EMOJI.test(grapheme)) return 2;
  return characters.reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  // It asks for the broad form of what is before it; some terminals do so with every character.
  if (code === 0xfe0f) return 1;
  // Half a flag is drawn as a broad letter.
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return 2;
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(code);
}
