import { fieldOf, isObject, itemsOf, textIn } from "../json.js";
import type { Channel, Json, Message, Team, View } from "../world/model.js";
import { buttonText, elementsIn, isButton } from "./elements.js";

/** A channel or a direct conversation. */
export class Place {
  readonly id: string;
  readonly name: string;
  readonly teamId: string;
  readonly kind: Channel["kind"];
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.id = channel.id;
    this.name = channel.name;
    this.teamId = channel.teamId;
    this.kind = channel.kind;
    this.#channel = channel;
  }

  /** Adds a person. A workspace's `inviteBot` adds the bot. */
  add(member: { readonly id: string }): void {
    this.#channel.members.add(member.id);
  }

  /** Whether a person, or the bot, is a member. */
  has(member: { readonly id: string }): boolean {
    return this.#channel.members.has(member.id);
  }
}

/** A message, as a person sees it. */
export interface SeenMessage
  extends Pick<Readonly<Message>, "ts" | "channelId" | "text" | "blocks" | "threadTs" | "isEdited"> {
  /** `bot`, or the name of a person. */
  readonly from: string;
  readonly fromId: string;
  readonly isOnlyVisibleToYou: boolean;
  readonly files: readonly SeenFile[];
}

/** A shared file, as a person sees it. */
export type SeenFile = Readonly<Record<"name" | "title" | "content", string>>;

/** A modal or a home, as a person sees it: without the app's private metadata. */
export interface SeenView extends Pick<View, "id" | "type" | "title" | "callbackId" | "blocks" | "submit" | "close"> {
  /** The errors that the app has reported, by the block's id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Identifies a message. */
export type MessageReference = Pick<SeenMessage, "channelId" | "ts">;

/** Identifies a modal or a home. */
export type ViewReference = Pick<SeenView, "id">;

/** A message as a person sees it. */
export function seenMessage(team: Team, message: Message): SeenMessage {
  const { ts, channelId, userId, text, blocks, onlyFor, threadTs, isEdited, files } = message;
  const sender = team.users.get(userId);
  return {
    ...{ ts, channelId, text, blocks, threadTs, isEdited },
    from: sender?.isBot === false ? sender.name : "bot",
    fromId: userId,
    isOnlyVisibleToYou: onlyFor !== undefined,
    files: files.map(({ name, title, content }) => ({ name, title, content: content.toString() })),
  };
}

/** A modal or a home as a person sees it. */
export function seenView(view: View, errors: Readonly<Record<string, string>>): SeenView {
  const { id, type, title, callbackId, blocks, submit, close } = view;
  return { id, type, title, callbackId, blocks, submit, close, errors };
}

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
  ...["placeholder", "initial_value", "options", "description", "hint"],
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
};

function readChart(chart: unknown): string {
  const series = itemsOf(fieldOf(chart, "series")).map((one) => {
    const points = itemsOf(fieldOf(one, "data")).map(readPoint);
    return `${textIn(fieldOf(one, "name"))}: ${points.join(", ")}`;
  });
  return lines(series);
}

function readPoint(point: unknown): string {
  return `${textIn(fieldOf(point, "label"))} ${String(fieldOf(point, "value"))}`;
}

function readPiece(piece: unknown): string {
  const get = (name: string): string => textIn(fieldOf(piece, name));
  return get("type") === "date" ? get("fallback") : get("text") || get("url");
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
