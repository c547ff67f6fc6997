import { type ProblemOptions, problemOf } from "../problem.js";
import { clean } from "./clean.js";
import type { Style } from "./color.js";
import { wrap } from "./fit.js";
import { screenOf, type TerminalScreenOptions } from "./screen.js";

export interface TerminalProblemOptions extends TerminalScreenOptions, ProblemOptions {}

/** What happened, why, and what to do next, for anything that can be thrown. */
export function formatProblem(error: unknown, options: TerminalProblemOptions = {}): string {
  const { width, paint } = screenOf(options);
  const { what, why, next, requestId } = problemOf(error, options);
  const paragraphs: [text: string, style: Style][] = [
    [`✗ ${what}.`, "bad"],
    [why, "plain"],
    [next, "plain"],
    [requestId ? `The service has it in its own logs as ${requestId}.` : "", "faint"],
  ];
  return paragraphs
    .filter(([text]) => text !== "")
    .flatMap(([text, style]) => wrap(clean(text), width).map((line) => paint(line, style)))
    .join("\n");
}
