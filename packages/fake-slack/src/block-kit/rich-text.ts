import { fieldOf, itemsOf, lengthOf } from "../json.js";
import { flag, integer, list, object, oneOf, optional, type Shape, string, url, word } from "./rules.js";

export const blockId = optional(string({ max: 255 }));

const style = optional(
  object({
    fields: {
      bold: optional(flag),
      italic: optional(flag),
      strike: optional(flag),
      code: optional(flag),
      underline: optional(flag),
    },
  }),
);

const text: Shape = { fields: { text: string(), style } };
const link: Shape = { fields: { url, text: optional(string()), unsafe: optional(flag), style } };

const pieces = {
  text,
  link,
  emoji: { fields: { name: string(), unicode: optional(string()), style } },
  date: {
    fields: {
      timestamp: integer({ min: 0 }),
      format: string(),
      timezone: optional(string()),
      url: optional(url),
      fallback: optional(string()),
      style,
    },
  },
  user: { fields: { user_id: string(), style } },
  usergroup: { fields: { usergroup_id: string(), style } },
  channel: { fields: { channel_id: string(), style } },
} satisfies Record<string, Shape>;

const none = { min: 0 };
const section: Shape = { fields: { elements: list(oneOf(pieces), none) } };

/** A rich text, as a block or as the cell of a table. */
export const richText: Shape = {
  fields: {
    block_id: blockId,
    elements: list(
      oneOf({
        rich_text_section: section,
        rich_text_list: {
          fields: {
            elements: list(oneOf({ rich_text_section: section })),
            style: word("bullet", "ordered"),
            indent: optional(integer({ min: 0, max: 8 })),
          },
        },
        rich_text_quote: section,
        rich_text_preformatted: { fields: { elements: list(oneOf({ text, link }), none) } },
      }),
      none,
    ),
  },
};

/** The fields of a piece that may be shown; if several may be, the longest is counted. */
const shown: Readonly<Record<keyof typeof pieces, readonly string[]>> = {
  text: ["text"],
  link: ["text", "url"],
  emoji: ["name"],
  date: ["fallback", "format"],
  user: ["user_id"],
  usergroup: ["usergroup_id"],
  channel: ["channel_id"],
};
const shownOf = new Map<unknown, readonly string[]>(Object.entries(shown));

/** How many characters of a rich text can be seen. */
export function visibleLength(richText: unknown): number {
  let length = 0;
  for (const part of itemsOf(fieldOf(richText, "elements"))) {
    const names = shownOf.get(fieldOf(part, "type"));
    length += names ? Math.max(...names.map((name) => lengthOf(fieldOf(part, name)))) : visibleLength(part);
  }
  return length;
}
