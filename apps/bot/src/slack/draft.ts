import type { SlackBlock, SlackMessage } from "@media-ops/formatters/slack";
import type { Logger } from "pino";
import { plainTextOf } from "./plain-text.js";
import { isAboutBlocks, refusalOf } from "./refusal.js";

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

type Refused = NonNullable<ReturnType<typeof refusalOf>>;

/** What a block of ours may weigh in a log. */
const LONGEST = 4000;

export function logRefusal(log: Logger, { code, faults }: Refused, blocks: readonly SlackBlock[]): void {
  const pointed = faults.map((fault) => /json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(fault)?.[1]);
  const [at] = pointed.filter((found) => found !== undefined);
  const block = at === undefined ? undefined : blocks[Number(at)];
  const caused = block
    ? { block: JSON.stringify(block).slice(0, LONGEST) }
    : { blocks: blocks.map(({ type }) => type) };
  log.error(
    { refusal: code, faults, ...caused },
    "Slack refused the blocks of an answer; it goes out in a simpler form",
  );
}
