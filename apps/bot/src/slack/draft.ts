import { escapeMrkdwn, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { Logger } from "pino";
import { isAboutBlocks, refusalOf } from "./client.js";

/** A message as it is meant, and what becomes of it where Slack does not take it so. */
export interface Draft extends SlackMessage {
  /** The same in blocks that every Slack takes. @default none: plain text comes next */
  compact?: (() => SlackMessage) | undefined;
  /** The same as plain text, escaped. @default what a person would read in the blocks */
  plain?: string | undefined;
  /** Whether what it holds must not stand in a log. @default false */
  isSecret?: boolean | undefined;
}

/** What is sent in the end. */
export interface Outgoing {
  text: string;
  blocks?: SlackBlock[];
}

/**
 * Sends a draft; where Slack refuses its blocks, in the compact style, and then as plain text. What was refused is
 * logged with the block that caused it.
 */
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

/** What a block of ours may weigh in a log. */
const MAX_LOGGED = 4000;

export function logRefusal(log: Logger, { code, faults }: BlockRefusal, blocks: readonly SlackBlock[]): void {
  const pointed = faults.map((fault) => /json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(fault)?.[1]);
  const [at] = pointed.filter((found) => found !== undefined);
  const block = at === undefined ? undefined : blocks[Number(at)];
  const caused = block
    ? { block: JSON.stringify(block).slice(0, MAX_LOGGED) }
    : { blocks: blocks.map(({ type }) => type) };
  log.error(
    { refusal: code, faults, ...caused },
    "Slack refused the blocks of an answer; it goes out in a simpler form",
  );
}

/** Something that the person who asked can mend, said in words for them. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly draft: Draft;

  constructor(draft: Draft) {
    super(draft.text);
    this.draft = draft;
  }
}

/** Slack cuts longer texts into several messages. */
const MAX_TEXT = 3500;

/** What a person would read in blocks, as plain text for a message without any; escaped. */
export function plainTextOf(blocks: readonly unknown[]): string {
  const text = blocks
    .map((block) => readIn(block).trim())
    .filter((part) => part !== "")
    .join("\n");
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
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
