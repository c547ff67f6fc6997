import type { Why } from "@media-ops/reports";
import {
  answerMessage,
  bold,
  bulletList,
  escapeMrkdwn,
  fit,
  fitting,
  mrkdwn,
  piece,
  type SlackBlock,
  type SlackMessage,
} from "../slack/parts.js";
import type { AnswerOptions } from "../values/answer.js";
import { counted } from "../values/numbers.js";
import { totalText, whyParts } from "./words.js";

/** A message with causes. */
export interface SlackWhyMessage extends SlackMessage {
  /** The number of causes that it shows: the most likely ones. */
  shown: number;
}

/** The totals need some characters, too. */
const CAUSES_CHARACTERS = 8000;
const LONGEST_CAUSE = 2000;

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: AnswerOptions): SlackWhyMessage {
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const all = causes.map(({ text, details }) => {
    const rest = fit(details.map((one) => `\n${one}`).join(""), LONGEST_CAUSE);
    return [bold(fit(text, LONGEST_CAUSE)), ...(rest === "" ? [] : [piece(rest)])];
  });
  const items = fitting(all, CAUSES_CHARACTERS);
  const omitted = all.length - items.length;
  const fields = totals.map((total) => mrkdwn(`*${total.title}*\n${escapeMrkdwn(totalText(total))}`));
  const blocks: SlackBlock[] = [{ type: "section", fields }, ...(items.length === 0 ? [] : [bulletList(items)])];
  const more = omitted === 0 ? "" : `${counted(omitted, "more cause is", "more causes are")} not shown.`;
  return { ...answerMessage(parts, blocks, period && `Period: ${period}`, more), shown: items.length };
}
