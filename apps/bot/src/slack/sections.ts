import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { ContextBlock, PlainTextElement, SectionBlock } from "@slack/types";
import type { Draft } from "./draft.js";

/** What a section takes. */
const LONGEST = 3000;

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`);

/** Words in which nothing is interpreted, for labels, titles and the like. */
export function plain(text: string): PlainTextElement {
  return { type: "plain_text", text, emoji: false };
}

/** The same as a paragraph. */
export function plainSection(text: string): SectionBlock {
  return { type: "section", text: plain(cut(text)) };
}

/** Words in Slack's own markup, in which people and channels can be named; what comes from outside is escaped first. */
export function markedSection(text: string): SectionBlock {
  return { type: "section", text: { type: "mrkdwn", text: cut(text), verbatim: true } };
}

/** Small print. */
export function smallPrint(text: string): ContextBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text: cut(text), verbatim: true }] };
}

/** A message of nothing but words. */
export function wordsOnly(text: string): Draft {
  return { blocks: [plainSection(text)], text: escapeMrkdwn(text) };
}
