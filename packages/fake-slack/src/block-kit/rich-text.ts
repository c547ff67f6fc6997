import * as z from "zod";
import { fieldOf, itemsOf, textIn } from "../json.js";
import { flag, id, text, typed, url } from "./schema.js";

const style = z.strictObject({ bold: flag, italic: flag, strike: flag, code: flag, underline: flag }).optional();

const words = typed("text", { text: text(), style });
const link = typed("link", { url, text: text().optional(), unsafe: flag, style });
const piece = z.discriminatedUnion("type", [
  words,
  link,
  typed("emoji", { name: text(), unicode: text().optional(), style }),
  typed("date", {
    timestamp: z.int().min(0),
    format: text(),
    timezone: text().optional(),
    url: url.optional(),
    fallback: text().optional(),
    style,
  }),
  typed("user", { user_id: text(), style }),
  typed("usergroup", { usergroup_id: text(), style }),
  typed("channel", { channel_id: text(), style }),
]);

const section = typed("rich_text_section", { elements: z.array(piece) });

/** A rich text, as a block or as the cell of a table. */
export const richText = typed("rich_text", {
  block_id: id,
  elements: z.array(
    z.discriminatedUnion("type", [
      section,
      typed("rich_text_list", {
        elements: z.array(z.discriminatedUnion("type", [section])).min(1),
        style: z.enum(["bullet", "ordered"]),
        indent: z.int().min(0).max(8).optional(),
      }),
      typed("rich_text_quote", { elements: z.array(piece) }),
      typed("rich_text_preformatted", { elements: z.array(z.discriminatedUnion("type", [words, link])) }),
    ]),
  ),
});

/** The fields of a piece that Slack may show; if it may show several, the longest is counted. */
const SHOWN = new Map<unknown, readonly string[]>(
  Object.entries({
    text: ["text"],
    link: ["text", "url"],
    emoji: ["name"],
    date: ["fallback", "format"],
    user: ["user_id"],
    usergroup: ["usergroup_id"],
    channel: ["channel_id"],
  }),
);

/** The number of visible characters in a rich text. */
export function visibleLength(richText: unknown): number {
  let length = 0;
  for (const part of itemsOf(fieldOf(richText, "elements"))) {
    const names = SHOWN.get(fieldOf(part, "type"));
    length += names ? Math.max(...names.map((name) => textIn(fieldOf(part, name)).length)) : visibleLength(part);
  }
  return length;
}
