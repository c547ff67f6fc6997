import { blockId, richText } from "./rich-text.js";
import { type Fields, list, object, oneOf, optional, type Shape, string, url, word } from "./rules.js";

const source = oneOf({ url: { fields: { url, text: string() } } });
const rich = optional(oneOf({ rich_text: richText }));

function taskFields(...statuses: string[]): Fields {
  return {
    block_id: optional(blockId),
    task_id: string(),
    title: string(),
    status: optional(word(...statuses)),
    details: rich,
    output: rich,
    sources: optional(list(source)),
  };
}

// A task that stands alone has nothing to wait for.
export const taskCard: Shape = { on: ["message"], fields: taskFields("in_progress", "complete", "error") };

export const plan: Shape = {
  on: ["message"],
  fields: {
    block_id: optional(blockId),
    title: string(),
    tasks: optional(
      list(
        object({
          fields: {
            type: optional(word("task_card")),
            ...taskFields("pending", "in_progress", "complete", "error"),
          },
        }),
        { min: 0 },
      ),
    ),
  },
};
