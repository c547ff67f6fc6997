import type { Tone } from "../values/status.js";

/** What a text is, which says how it is coloured. */
export type Style = Tone | "title" | "faint";

/** Colours a text, which is on one line and is not empty. The colour ends where the text does. */
export type Paint = (text: string, style: Style) => string;

/** By number, as in every terminal; what the colours look like is its user's choice. */
const codes: { readonly [Name in Style]?: readonly [on: number, off: number] } = {
  title: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  notice: [33, 39],
  bad: [31, 39],
};

export function painter(color: boolean): Paint {
  if (!color) return (text) => text;
  return (text, style) => {
    const code = codes[style];
    return code && text !== "" ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text;
  };
}
