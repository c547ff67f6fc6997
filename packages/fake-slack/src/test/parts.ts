// What sample blocks are made of.
import type { RichTextBlock, RichTextElement } from "@slack/types";
import { elements } from "./elements.js";
import { letters, link, times } from "./texts.js";

export const block_id = letters(255);
export const button = (action_id: string) => ({ ...elements.button.minimal, action_id });

const style = { bold: true, italic: true, strike: true, code: true, underline: true };

export const pieces: RichTextElement[] = [
  { type: "text", text: "x", style },
  { type: "link", url: link(30), text: "x", unsafe: false, style },
  { type: "emoji", name: "wave", unicode: "1f44b", url: link(30), style },
  { type: "date", timestamp: 1_720_710_212, format: "{time}", url: link(30), fallback: "14:03", style },
  { type: "user", user_id: "U1", style },
  { type: "usergroup", usergroup_id: "S1", style },
  { type: "channel", channel_id: "C1", style },
  { type: "team", team_id: "T1", style },
  { type: "broadcast", range: "here", style },
  { type: "color", value: "#ff0000", style },
];

export const richText: RichTextBlock = {
  type: "rich_text",
  elements: [
    { type: "rich_text_section", elements: pieces },
    {
      type: "rich_text_list",
      elements: [{ type: "rich_text_section", elements: pieces }],
      style: "ordered",
      indent: 8,
      border: 1,
    },
    { type: "rich_text_quote", elements: pieces, border: 0 },
    {
      type: "rich_text_preformatted",
      elements: [
        { type: "text", text: "x" },
        { type: "link", url: link(30) },
      ],
      border: 1,
    },
  ],
};

export const cell = (count: number) => ({ type: "raw_text" as const, text: letters(count) });
export const numberCell = { type: "raw_number" as const, value: -1.5, text: "−1.5" };
export const richCell = (...some: RichTextElement[]): RichTextBlock => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: some }],
});
/** Rows of cells that have 5 characters each. */
export const rows = (count: number, columns: number) => times(count, () => times(columns, () => cell(5)));
