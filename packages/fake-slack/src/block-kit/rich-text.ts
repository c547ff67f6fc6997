import { fieldOf, itemsOf, lengthOf } from "./json.js";
import { flag, integer, list, object, oneOf, optional, type Shape, string, url, word } from "./rules.js";

export const blockId = string({ max: 255 });

const style = optional(
  object({
    fields: {
      bold: optional(flag),
      italic: optional(flag),
      strike: optional(flag),
      code: optional(flag),
      underline: optional(flag),
      highlight: optional(flag),
      client_highlight: optional(flag),
      unlink: optional(flag),
    },
  }),
);

const text: Shape = { fields: { text: string(), style } };
const link: Shape = { fields: { url, text: optional(string()), unsafe: optional(flag), style } };

const pieces = {
  text,
  link,
  emoji: {
    fields: {
      name: string(),
      unicode: optional(string()),
      skin_tone: optional(integer()),
      url: optional(url),
      style,
    },
  },
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
  team: { fields: { team_id: string(), style } },
  broadcast: { fields: { range: word("here", "channel", "everyone"), style } },
  color: { fields: { value: string(), style } },
} satisfies Record<string, Shape>;

const none = { min: 0 };
const border = { border: optional(integer({ min: 0, max: 1 })) };
const section: Shape = { fields: { elements: list(oneOf(pieces), none) } };

/** A rich text, be it a block or a part of another one. */
export const richText: Shape = {
  fields: {
    block_id: optional(blockId),
    elements: list(
      oneOf({
        rich_text_section: section,
        rich_text_list: {
          fields: {
            elements: list(oneOf({ rich_text_section: section })),
            style: word("bullet", "ordered"),
            indent: optional(integer({ min: 0, max: 8 })),
            offset: optional(integer({ min: 0 })),
            ...border,
          },
        },
        rich_text_quote: { fields: { elements: list(oneOf(pieces), none), ...border } },
        rich_text_preformatted: {
          fields: { elements: list(oneOf({ text, link }), none), language: optional(string()), ...border },
        },
      }),
      none,
    ),
  },
};

/** What can be seen of each piece. Where it may be one thing or another, the longer one is counted. */
const seen: Readonly<Record<keyof typeof pieces, (piece: unknown) => number>> = {
  text: (piece) => lengthOf(fieldOf(piece, "text")),
  link: (piece) => lengthOf(fieldOf(piece, "text")) || lengthOf(fieldOf(piece, "url")),
  emoji: (piece) => lengthOf(fieldOf(piece, "name")),
  date: (piece) => Math.max(lengthOf(fieldOf(piece, "fallback")), lengthOf(fieldOf(piece, "format"))),
  user: (piece) => lengthOf(fieldOf(piece, "user_id")),
  usergroup: (piece) => lengthOf(fieldOf(piece, "usergroup_id")),
  channel: (piece) => lengthOf(fieldOf(piece, "channel_id")),
  team: (piece) => lengthOf(fieldOf(piece, "team_id")),
  broadcast: (piece) => lengthOf(fieldOf(piece, "range")),
  color: (piece) => lengthOf(fieldOf(piece, "value")),
};
const seenOf = new Map(Object.entries(seen));

/** How many characters of a rich text are to be seen. */
export function visibleLength(richText: unknown): number {
  let length = 0;
  for (const part of itemsOf(fieldOf(richText, "elements"))) {
    const type = fieldOf(part, "type");
    const count = typeof type === "string" ? seenOf.get(type) : undefined;
    length += count ? count(part) : visibleLength(part);
  }
  return length;
}
