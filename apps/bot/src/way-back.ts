import { columns } from "@media-ops/formatters";
import type { Button } from "@slack/types";
import { readBookmark } from "./logs/bookmark.js";
import { button } from "./slack/blocks.js";

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
  const to = readBookmark(back, now);
  if (!to) return undefined;
  return button({ label: `Back to ${columns[to.command.kind].many}`, action: `${LOG_PAGE}:back`, value: back });
}
