import {
  bold,
  codeSpan,
  fit,
  mrkdwn,
  notification,
  piece,
  richText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
} from "../slack/parts.js";
import { type ProblemOptions, problemOf } from "./words.js";

/** The longest request id; ours have 26 characters. */
const ID = 100;

/** Any thrown value as a message: what happened, why, and the next step. */
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
