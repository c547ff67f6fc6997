import { fieldOf, isObject, itemsOf, type JsonObject } from "../block-kit/json.js";
import { elementsIn, labelOf, textIn } from "./elements.js";
import type { SeenMessage, SeenView } from "./seen.js";

/** What can be read: blocks, or what is made of them. */
export type Readable = SeenMessage | SeenView | readonly unknown[];

/**
 * Everything that a person reads in it, from top to bottom: headings, texts, cells, options, and buttons in brackets.
 *
 * @example textOf([{ type: "header", text: { type: "plain_text", text: "Logs" } }]) // "Logs"
 */
export function textOf(readable: Readable): string {
  if (isBlocks(readable)) return lines(readable.map(read));
  if ("callbackId" in readable) {
    const submit = readable.submit === undefined ? "" : `[${readable.submit}]`;
    return lines([readable.title, ...readable.blocks.map(read), ...Object.values(readable.errors), submit]);
  }
  // Where there are blocks, the text is for notifications.
  const said = readable.blocks.length > 0 ? readable.blocks.map(read) : [asShown(readable.text)];
  return lines([...said, ...readable.files.map(({ title }) => title)]);
}

/** A button, as a person and a test know it. */
export interface SeenButton {
  readonly text: string;
  readonly actionId: string;
  readonly value: string | undefined;
  readonly style: string | undefined;
}

export function buttonsOf(seen: SeenMessage | SeenView): SeenButton[] {
  return elementsIn(seen.blocks)
    .filter(({ element }) => isButton(element))
    .map(({ element: { action_id, value, style, ...element } }) => ({
      text: labelOf(element),
      actionId: textIn(action_id),
      value: typeof value === "string" ? value : undefined,
      style: typeof style === "string" ? style : undefined,
    }));
}

export function isButton({ type }: JsonObject): boolean {
  return type === "button" || type === "icon_button" || type === "workflow_button";
}

function isBlocks(readable: Readable): readable is readonly unknown[] {
  return Array.isArray(readable);
}

/** Where things stand in what is made of several: those above come first. */
const ORDER = [
  "title",
  "rich_text_title",
  "caption",
  "subtitle",
  "label",
  "text",
  "body",
  "fields",
  "rows",
  "chart",
  "element",
  "elements",
  "accessory",
  "placeholder",
  "initial_value",
  "options",
  "option_groups",
  "description",
  "child_blocks",
  "tasks",
  "details",
  "output",
  "actions",
  "positive_button",
  "negative_button",
  "subtext",
  "hint",
  "alt_text",
];

function read(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return lines(value.map(read));
  if (!isObject(value)) return "";
  const reader = readers[textIn(value.type)];
  return reader ? reader(value) : readFields(value);
}

function readFields(value: JsonObject): string {
  return lines(ORDER.map((name) => read(value[name])));
}

const readers: Readonly<Record<string, (value: JsonObject) => string>> = {
  mrkdwn: ({ text }) => asShown(textIn(text)),
  markdown: ({ text }) => textIn(text),
  button: (value) => `[${labelOf(value)}]`,
  icon_button: (value) => `[${labelOf(value)}]`,
  workflow_button: (value) => `[${labelOf(value)}]`,
  table: ({ rows }) => readRows(rows),
  data_table: ({ caption, rows }) => lines([textIn(caption), readRows(rows)]),
  data_visualization: ({ title, chart }) => lines([textIn(title), readChart(chart)]),
  rich_text_section: ({ elements }) => itemsOf(elements).map(readPiece).join(""),
  rich_text_preformatted: ({ elements }) => itemsOf(elements).map(readPiece).join(""),
  rich_text_quote: ({ elements }) => itemsOf(elements).map(readPiece).join(""),
};

function readRows(rows: unknown): string {
  return lines(itemsOf(rows).map((row) => itemsOf(row).map(read).join(" | ")));
}

function readChart(chart: unknown): string {
  const series = itemsOf(fieldOf(chart, "series")).map((one) => {
    const points = itemsOf(fieldOf(one, "data")).map(readPoint);
    return `${textIn(fieldOf(one, "name"))}: ${points.join(", ")}`;
  });
  return lines([...series, ...itemsOf(fieldOf(chart, "segments")).map(readPoint)]);
}

function readPoint(point: unknown): string {
  return `${textIn(fieldOf(point, "label"))} ${String(fieldOf(point, "value"))}`;
}

/** A piece of rich text. */
function readPiece(piece: unknown): string {
  const get = (name: string): string => textIn(fieldOf(piece, name));
  switch (get("type")) {
    case "link":
      return get("text") || get("url");
    case "emoji":
      return `:${get("name")}:`;
    case "date":
      return get("fallback");
    case "user":
      return `@${get("user_id")}`;
    case "usergroup":
      return `@${get("usergroup_id")}`;
    case "channel":
      return `#${get("channel_id")}`;
    case "broadcast":
      return `@${get("range")}`;
    default:
      return get("text") || get("value");
  }
}

/** Slack's own marks as they are shown: links by their words, dates by their fallback. */
function asShown(text: string): string {
  const shown = text.replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, target: string, words: string | undefined) => {
    if (target.startsWith("!")) return words ?? `@${target.slice(1)}`;
    if (target.startsWith("#") || target.startsWith("@")) return `${target[0]}${words ?? target.slice(1)}`;
    return words ?? target;
  });
  return shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
