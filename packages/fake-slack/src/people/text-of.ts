import { fieldOf, isObject, itemsOf, textIn } from "../json.js";
import type { Json } from "../world/model.js";
import { buttonText, elementsIn, isButton } from "./elements.js";
import type { SeenMessage, SeenView } from "./seen.js";

/**
 * The visible text, from top to bottom: headings, texts, cells, options, and buttons in brackets.
 *
 * @example textOf([{ type: "header", text: { type: "plain_text", text: "Logs" } }]) // "Logs"
 */
export function textOf(readable: SeenMessage | SeenView | readonly unknown[]): string {
  if (!("blocks" in readable)) return lines(readable.map(read));
  if ("callbackId" in readable) {
    const submit = readable.submit === undefined ? "" : `[${readable.submit}]`;
    return lines([readable.title, ...readable.blocks.map(read), ...Object.values(readable.errors), submit]);
  }
  // If there are blocks, the text is only for notifications.
  const content = readable.blocks.length > 0 ? readable.blocks.map(read) : [asShown(readable.text)];
  return lines([...content, ...readable.files.map(({ title }) => title)]);
}

/** A button in a message or a view. */
export interface SeenButton {
  readonly text: string;
  readonly actionId: string;
  readonly value: string | undefined;
  readonly style: string | undefined;
}

/** The buttons of a message or a view, from top to bottom. */
export function buttonsOf(seen: SeenMessage | SeenView): SeenButton[] {
  const buttons = elementsIn(seen.blocks).filter(({ element }) => isButton(element));
  return buttons.map(({ element, actionId }) => ({
    text: buttonText(element),
    actionId,
    value: textIn(element.value) || undefined,
    style: textIn(element.style) || undefined,
  }));
}

/** The visible members of a block or an element, from top to bottom. */
const ORDER = [
  ...["title", "caption", "label", "text", "fields", "rows", "chart", "element", "elements"],
  ...["placeholder", "initial_value", "initial_time", "options", "description", "hint"],
];

function read(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return lines(value.map(read));
  if (!isObject(value)) return "";
  const reader = readers[textIn(value.type)];
  return reader ? reader(value) : lines(ORDER.map((name) => read(value[name])));
}

const readPieces = ({ elements }: Json): string => itemsOf(elements).map(readPiece).join("");

const readers: Readonly<Record<string, (value: Json) => string>> = {
  mrkdwn: ({ text }) => asShown(textIn(text)),
  button: (value) => `[${buttonText(value)}]`,
  data_table: ({ caption, rows }) =>
    lines([textIn(caption), ...itemsOf(rows).map((row) => itemsOf(row).map(read).join(" | "))]),
  data_visualization: ({ title, chart }) => lines([textIn(title), readChart(chart)]),
  rich_text_section: readPieces,
  rich_text_preformatted: readPieces,
  rich_text_quote: readPieces,
};

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

/** How each piece of rich text is shown, by its members. */
const PIECES: Readonly<Record<string, (get: (name: string) => string) => string>> = {
  link: (get) => get("text") || get("url"),
  emoji: (get) => `:${get("name")}:`,
  date: (get) => get("fallback"),
  user: (get) => `@${get("user_id")}`,
  usergroup: (get) => `@${get("usergroup_id")}`,
  channel: (get) => `#${get("channel_id")}`,
};

function readPiece(piece: unknown): string {
  const get = (name: string): string => textIn(fieldOf(piece, name));
  return PIECES[get("type")]?.(get) ?? get("text");
}

/** Slack's markup as it is shown: links by their text, dates by their fallback. */
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
