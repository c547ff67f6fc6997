import type { Why } from "@media-ops/reports";
import type { RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  escapeMrkdwn,
  fit,
  mrkdwn,
  piece,
  type SlackBlock,
  type SlackMessage,
  titleOf,
} from "../slack/parts.js";
import { formatCount } from "../values/numbers.js";
import { type CauseWords, type WhyOptions, whyParts } from "./words.js";

/** A message with causes. */
export interface SlackWhyMessage extends SlackMessage {
  /** The number of causes that it shows: the most likely ones. */
  shown: number;
}

/** Slack refuses a message if its total text is too long, somewhere above 11,000 characters. */
const CAUSES_CHARACTERS = 8000;
const LONGEST_CAUSE = 2000;

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function formatWhy(why: Why, options: WhyOptions): SlackWhyMessage {
  const { incomplete, words, totals, causes, period, note, ...parts } = whyParts(why, options);
  const title = titleOf(parts.title, "Why");
  const items = fitting(causes);
  const omitted = causes.length - items.length;
  const small = [
    period === "" ? "" : `Period: ${period}`,
    omitted === 0 ? "" : `${formatCount(omitted)} more ${omitted === 1 ? "cause is" : "causes are"} not shown.`,
    note,
  ];
  const fields = totals.map(({ title, now, before }) =>
    mrkdwn(`*${title}*\n${escapeMrkdwn(before === "–" ? now : `${now} (${before} before)`)}`),
  );
  const blocks: SlackBlock[] = [{ type: "section", fields }, ...(items.length === 0 ? [] : [bulletList(items)])];
  return { ...answerMessage({ incomplete, title, words }, blocks, small), shown: items.length };
}

/** As many causes as fit. */
function fitting(causes: readonly CauseWords[]): RichTextElement[][] {
  let room = CAUSES_CHARACTERS;
  const items: RichTextElement[][] = [];
  for (const { text, details } of causes) {
    const [first, rest] = [fit(text, LONGEST_CAUSE), fit(details.map((one) => `\n${one}`).join(""), LONGEST_CAUSE)];
    room -= first.length + rest.length;
    if (room < 0) break;
    items.push([bold(first), ...(rest === "" ? [] : [piece(rest)])]);
  }
  return items;
}
