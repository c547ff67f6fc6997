import { escapeMrkdwn } from "@media-ops/formatters/slack";

/** Slack cuts longer texts into several messages. */
const LONGEST = 3500;

/** What a person would read in blocks, as plain text for a message without any; escaped. */
export function plainTextOf(blocks: readonly unknown[]): string {
  const text = blocks
    .map((block) => readIn(block).trim())
    .filter((part) => part !== "")
    .join("\n");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** Parts that are read one below the other; within all others, one behind the other. */
const LINES = new Set(["rich_text", "rich_text_list", "section", "data_table", "table"]);
/** What can only be pressed is of no use in a text. */
const CONTROLS = new Set(["actions", "button", "static_select", "overflow", "image"]);

function readIn(part: unknown): string {
  if (Array.isArray(part)) return part.map(readIn).filter(Boolean).join("  ");
  if (typeof part !== "object" || part === null) return "";
  const { type, text, elements, fields, rows, title, fallback, value, caption } = part as Record<string, unknown>;
  if (typeof type === "string" && CONTROLS.has(type)) return "";
  if (type === "mrkdwn" && typeof text === "string") return text;
  if (typeof fallback === "string") return escapeMrkdwn(fallback);
  if (type === "raw_number" && (typeof text === "string" || typeof value === "number")) return String(text ?? value);
  if (typeof text === "string") return escapeMrkdwn(text);
  const inner = [text, caption, ...listOf(fields), ...listOf(rows), ...listOf(elements)].map(readIn).filter(Boolean);
  if (type === "data_visualization" && typeof title === "string")
    return `(${escapeMrkdwn(title)}: no chart can be shown)`;
  return inner.join(typeof type === "string" && LINES.has(type) ? "\n" : type === "context" ? "  " : "");
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
