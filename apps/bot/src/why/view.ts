import { whyDefaults } from "@media-ops/commands";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import { readSaved, type SavedCommand } from "../saved-command.js";
import { Refused } from "../slack/blocks.js";

/** An explanation that can be shown again at any time: the whole state of a control. */
export interface WhyView {
  /** The command with its project. */
  readonly command: CommandNamed<"why">;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** When such a period, or the default one, ended. @default now */
  readonly at?: number | undefined;
}

const NOW = "now";

/** Serializes a view for {@link whyViewIn}. */
export const savedWhy = ({ at, ...view }: WhyView): SavedCommand => ({ ...view, view: at?.toString() ?? NOW });

/**
 * The view that a control contains.
 *
 * @throws {Refused} if it can't be parsed: a message may be older than the bot.
 */
export function whyViewIn(value: string, { now, prefix }: Pick<Request, "now" | "prefix">): WhyView {
  const { view = "", command, periodMs } = readSaved(value, now()) ?? {};
  const isTime = /^\d{1,15}$/.test(view);
  if (command?.name !== "why" || (view !== NOW && !isTime)) {
    throw new Refused(`This message is too old to use. ${prefix} why shows a new one.`);
  }
  return { command, periodMs, at: isTime ? Number(view) : undefined };
}

/** The period of a view, in ms since 1970. */
export function periodIn({ command, periodMs, at }: WhyView, now: number): { since: number; until: number } {
  const until = command.until ?? at ?? now;
  const start = periodMs === undefined ? command.since : until - periodMs;
  return { since: start ?? until - whyDefaults.periodMs, until };
}
