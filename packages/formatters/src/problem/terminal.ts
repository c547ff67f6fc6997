import { screenOf, type TerminalScreenOptions, textLines } from "../terminal/screen.js";
import { type ProblemOptions, problemOf } from "./words.js";

/** What happened, why, and the next step, for any thrown value. */
export function formatProblem(error: unknown, options: TerminalScreenOptions & ProblemOptions = {}): string {
  const screen = screenOf(options);
  const { what, why, next, requestId } = problemOf(error, options);
  return [
    ...textLines(`✗ ${what}.`, "bad", screen),
    ...textLines(why, "plain", screen),
    ...textLines(next, "plain", screen),
    ...textLines(requestId ? `The request id in the service's logs is ${requestId}.` : "", "faint", screen),
  ].join("\n");
}
