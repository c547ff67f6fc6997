import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { type Paint, painter } from "./color.js";

export interface TerminalOptions extends TimeOptions {
  /** How many columns a line may have. `Infinity` is a file or a pipe, where lines have no end. @default 80 */
  width?: number | undefined;
  /** Whether to use colours; nothing is said by them alone. @default false */
  color?: boolean | undefined;
}

/** What all printers of this folder work with. */
export interface Screen {
  clock: Clock;
  width: number;
  paint: Paint;
}

/** What a terminal has that does not say how wide it is. */
const USUAL = 80;

export function screenOf(options: TerminalOptions): Screen {
  const { width = USUAL, color = false } = options;
  return { clock: clockFor(options), width: width >= 1 ? Math.floor(width) : USUAL, paint: painter(color) };
}
