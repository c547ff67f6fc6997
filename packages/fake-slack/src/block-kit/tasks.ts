import { blockId, richText } from "./rich-text.js";
import { type Fields, list, object, oneOf, optional, type Shape, string, url, word } from "./rules.js";

const source = oneOf({ url: { fields: { url, text: string() } } });
const rich = optional(oneOf({ rich_text: richText }));

const task: Fields = {
  block_id: optional(blockId),
  task_id: string(),
  title: string(),
  status: optional(word("pending", "in_progress", "complete", "error")),
  details: rich,
  output: rich,
  sources: optional(list(source)),
};

export const taskCard: Shape = { on: ["message"], fields: task };

export const plan: Shape = {
  on: ["message"],
  fields: {
    block_id: optional(blockId),
    title: string(),
    tasks: optional(list(object({ fields: { type: optional(word("task_card")), ...task } }), { min: 0 })),
  },
};
