import { logKinds } from "@media-ops/contract";
import type { Button } from "@slack/types";
import { type Command, language } from "./language.js";
import { button } from "./slack/blocks.js";

/** A command as a control keeps it: its state is nowhere else. */
export interface SavedCommand {
  /** The page or view of its answer, as one or more words. */
  readonly view: string;
  /** The command with its project. */
  readonly command: Command;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** Where a Back button leads: see {@link wayBack}. */
  readonly back?: string | undefined;
}

/** The maximum length of a button's value. */
export const BUTTON = 2000;
/** The maximum length of an option's value. */
export const OPTION = 150;

/** Serializes a command; undefined if the text is too long. The way back is dropped first. */
export function writeSaved(saved: SavedCommand, longest: number = BUTTON): string | undefined {
  const { view, command, periodMs, back } = saved;
  const period = periodMs === undefined ? "" : `~${periodMs} `;
  const way = back === undefined ? "" : `${back.length}:${back} `;
  const text = `${view} ${period}${way}${language.write(command)}`;
  if (text.length <= longest) return text;
  return back === undefined ? undefined : writeSaved({ ...saved, back: undefined }, longest);
}

/** A button with a command; undefined if that is too long. */
export function savedButton(label: string, action: string, saved: SavedCommand): Button | undefined {
  const value = writeSaved(saved);
  return value === undefined ? undefined : button({ label, action, value });
}

/** Parses the output of {@link writeSaved}; undefined for any other text. */
export function readSaved(text: string, now: number, { words = 1 } = {}): SavedCommand | undefined {
  const head = new RegExp(`^(\\S+(?: \\S+){${words - 1}}) (?:~(\\d{1,12}) )?(?:(\\d{1,4}):)?`);
  const [begun, view, period, length] = head.exec(text) ?? [];
  if (begun === undefined || view === undefined) return undefined;
  const end = begun.length + Number(length ?? 0);
  const read = language.parse(text.slice(end), { now });
  if (!read.ok) return undefined;
  return {
    view,
    command: read.command,
    periodMs: period === undefined ? undefined : Number(period),
    back: length === undefined ? undefined : text.slice(begun.length, end),
  };
}

/** The actions that show a page in place of their message. A Back button leads to one of them. */
export const LOG_PAGE = "log-page";
export const TRACE_PAGE = "trace-page";
export const WHY_PAGE = "why-page";
export const LIVE_PAGE = "live-page";

const labels = new Map([
  [TRACE_PAGE, "Back to the trace"],
  [WHY_PAGE, "Back to the causes"],
  [LIVE_PAGE, "Back to live"],
]);

/** A way back to a page, for the controls of the pages that it leads to. A way back to a log is its bookmark. */
export const wayBack = (action: string, value: string | undefined): string | undefined =>
  value === undefined ? undefined : `@${action} ${value}`;

/** A button back to the page that led to this one; none if there was no such page. */
export function backButton(back: string | undefined, now: number): Button | undefined {
  if (back === undefined) return undefined;
  const [, page = "", value = ""] = /^@(\S+) (.+)$/s.exec(back) ?? [];
  const label = labels.get(page);
  if (label !== undefined) return button({ label, action: `${page}:back`, value });
  // The view of a bookmark is its spot and its first entry.
  const { command } = readSaved(back, now, { words: 2 }) ?? {};
  if (command?.name !== "logs") return undefined;
  return button({ label: `Back to ${logKinds[command.kind].many}`, action: `${LOG_PAGE}:back`, value: back });
}
