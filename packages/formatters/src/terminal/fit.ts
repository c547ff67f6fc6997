import { graphemesOf } from "../values/graphemes.js";
import { easyWidth, graphemeWidth, textWidth } from "./width.js";

/** The text with its middle left out where it is wider than that many columns, of which its end keeps `atEnd`. */
export function fit(text: string, width: number, atEnd: number = Math.floor((width - 1) / 2)): string {
  if (textWidth(text) <= width) return text;
  const signs = signsOf(text);
  const head = takeUpTo(signs, width - 1 - atEnd);
  const tail = takeUpTo(signs.reverse(), atEnd).reverse();
  // It may have been shortened before.
  return `${head.join("")}…${tail.join("")}`.replace(/…{2,}/, "…");
}

/** The text with its end left out where it is wider than that many columns. */
export function cutEnd(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return `${takeUpTo(signsOf(text), width - 1).join("")}…`.replace(/…{2,}$/, "…");
}

/** On lines that are no wider than that, broken between words where it can be. */
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
    // A sign that is broader than the whole line.
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
