// Also what turns the direction of writing, or breaks a line where "\n" does not.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A text from outside as one line that a terminal shows and does not obey.
 *
 * @param max How many characters are shown; what is left out is counted. @default all
 */
export function printable(text: string, max: number = text.length): string {
  const shown = text.slice(0, max).toWellFormed().replace(UNPRINTABLE, visible);
  const left = text.length - max;
  return left > 0 ? `${shown}… (and ${left} characters more)` : shown;
}

function visible(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
