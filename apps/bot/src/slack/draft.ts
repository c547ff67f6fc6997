import { escapeMrkdwn, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { Logger } from "pino";
import { mrkdwnSection, plainSection, shorten } from "./blocks.js";
import { isAboutBlocks, refusalOf } from "./client.js";

/** A message, and simpler forms for a Slack that refuses its blocks. */
export interface Draft extends SlackMessage {
  /** The message in blocks that every Slack takes. @default none: plain text is next */
  compact?: (() => SlackMessage) | undefined;
  /** The message as plain text, escaped. @default the texts of the blocks */
  plain?: string | undefined;
  /** Whether the content must not be logged. @default false */
  isSecret?: boolean | undefined;
}

/** A message as it is sent. */
export interface Outgoing {
  text: string;
  blocks?: SlackBlock[];
}

/** Sends a draft. If Slack refuses its blocks, logs the block and sends the compact form, then plain text. */
export async function sendDraft(draft: Draft, send: (message: Outgoing) => Promise<void>, log: Logger): Promise<void> {
  const { text, blocks, compact, plain, isSecret = false } = draft;
  const forms: (() => Outgoing)[] = [
    () => ({ text, blocks }),
    ...(compact ? [() => ({ text: compact().text, blocks: compact().blocks })] : []),
  ];
  for (const form of forms) {
    const message = form();
    try {
      return await send(message);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal || !isAboutBlocks(refusal.code)) throw error;
      logRefusal(log, refusal, isSecret ? [] : (message.blocks ?? []));
    }
  }
  await send({ text: plain ?? plainTextOf(compact ? compact().blocks : blocks) });
}

type BlockRefusal = NonNullable<ReturnType<typeof refusalOf>>;

// Enough to see what is wrong with a block.
const MAX_LOGGED = 4000;

/** Logs that Slack refused blocks, with the one that it points to. */
export function logRefusal(log: Logger, { code, faults }: BlockRefusal, blocks: readonly SlackBlock[]): void {
  const pointed = faults.map((fault) => /json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(fault)?.[1]);
  const [at] = pointed.filter((found) => found !== undefined);
  const block = at === undefined ? undefined : blocks[Number(at)];
  const caused = block
    ? { block: JSON.stringify(block).slice(0, MAX_LOGGED) }
    : { blocks: blocks.map(({ type }) => type) };
  log.error(
    { refusal: code, faults, ...caused },
    "Slack refused the blocks of an answer; it is sent in a simpler form",
  );
}

/** A message of one paragraph without markup. */
export const plainMessage = (text: string): Draft => ({ blocks: [plainSection(text)], text: escapeMrkdwn(text) });

/** A message of one paragraph in Slack's markup. */
export const mrkdwnMessage = (text: string): Draft => ({ blocks: [mrkdwnSection(text)], text });

/** A request that was not done for a reason that the person can do something about; the draft tells them. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly draft: Draft;

  /** @param message A text is shown without markup. */
  constructor(message: Draft | string) {
    const draft = typeof message === "string" ? plainMessage(message) : message;
    super(draft.text);
    this.draft = draft;
  }
}

/** Slack cuts longer texts into several messages. */
const MAX_TEXT = 3500;

/** The texts of blocks as one escaped plain text. */
export function plainTextOf(blocks: readonly unknown[]): string {
  const text = blocks
    .map((block) => readIn(block).trim())
    .filter((part) => part !== "")
    .join("\n");
  return shorten(text, MAX_TEXT);
}

// Blocks with one part per line; all others are joined on one line.
const LINES = new Set(["rich_text", "rich_text_list", "section", "data_table", "table"]);
// Nothing can be pressed in a text.
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
