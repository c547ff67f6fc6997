import type { Tone } from "../values/show.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";

/** How a terminal draws. */
export interface TerminalScreenOptions {
  /** How many columns a line may have. `Infinity` is a file or a pipe, where lines have no end. @default 80 */
  width?: number | undefined;
  /** Whether to use colours; nothing is said by them alone. @default false */
  color?: boolean | undefined;
}

export interface TerminalOptions extends TimeOptions, TerminalScreenOptions {}

/** What all printers of this folder work with. */
export interface Screen {
  width: number;
  paint: Paint;
}

/** The same with the time. */
export interface TimedScreen extends Screen {
  clock: Clock;
}

/** What a terminal has that does not say how wide it is. */
const USUAL = 80;

export function screenOf({ width = USUAL, color = false }: TerminalScreenOptions): Screen {
  return { width: width >= 1 ? Math.floor(width) : USUAL, paint: painter(color) };
}

export function timedScreenOf(options: TerminalOptions): TimedScreen {
  return { ...screenOf(options), clock: clockFor(options) };
}

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

function painter(color: boolean): Paint {
  if (!color) return (text) => text;
  return (text, style) => {
    const code = codes[style];
    return code && text !== "" ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text;
  };
}
