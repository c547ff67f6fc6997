import { type ProblemOptions, problemOf } from "../problem.js";
import { codeSpan } from "./escape.js";
import type { SlackBlock, SlackMessage } from "./message.js";
import { bold, fit, mrkdwn, notification, piece, richText, TEXT } from "./parts.js";

/** Longest id of a request: ours have 26 signs. */
const ID = 100;

/** Anything that can be thrown as a message: what happened, why, and what to do next. */
export function formatProblem(error: unknown, options: ProblemOptions = {}): SlackMessage {
  const { what, why, next, requestId } = problemOf(error, options);
  const blocks: SlackBlock[] = [
    richText(bold(`✗ ${what}`), ...(why === "" ? [] : [piece(`\n${why}`)])),
    richText(bold("What to do: "), piece(fit(next, TEXT))),
  ];
  if (requestId) {
    blocks.push({ type: "context", elements: [mrkdwn(`Request id ${codeSpan(fit(requestId, ID))}`)] });
  }
  return { blocks, text: notification(what, next) };
}
