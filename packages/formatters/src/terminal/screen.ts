import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { type Paint, painter } from "./color.js";

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
