import type { LogKind } from "@media-ops/sdk";
import { rowOf, timeFieldOf } from "../columns.js";
import { amountOf, capital, noneFound } from "../kind-words.js";
import { fieldOf } from "../values/field.js";
import { formatCount } from "../values/numbers.js";
import { type Clock, clockFor, millisecondsOf, type TimeOptions } from "../values/time.js";
import { linesOf } from "./log-lines.js";
import { tableOf } from "./log-table.js";
import type { SlackMessage } from "./message.js";
import { bold, context, notification, plainText, richText, titleOf } from "./parts.js";

export interface SlackLogsOptions extends TimeOptions {
  /**
   * A table that can be sorted and leafed through, or a line for each entry where tables cannot be shown.
   * @default "table"
   */
  style?: "table" | "compact" | undefined;
  /** What was asked, in words. @default what the log is called */
  title?: string | undefined;
  /** What else is to be said below the entries. */
  note?: string | undefined;
  /** Where the entries stand in a longer listing of which they are a page: as which they begin, from 1 on, and of how many. */
  position?: { readonly from: number; readonly total: number } | undefined;
  /** How many rows of the table are shown at once, from 1 to 100. @default 10 */
  pageSize?: number | undefined;
  /** How many entries are shown at most, from 1 to 100. @default 100 */
  atMost?: number | undefined;
}

/** A message with log entries. */
export interface SlackLogsMessage extends SlackMessage {
  /** How many of the entries stand in it; the others had no room. */
  shown: number;
}

/**
 * Log entries as a message, in the order in which they are given. Slack writes their times in the zone of each reader;
 * what it cannot write, such as a time before 1970, stands in the zone that was asked for.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: SlackLogsOptions): SlackLogsMessage {
  const clock = clockFor(options);
  const title = titleOf(options.title, rowOf(kind).title);
  const heading = richText(bold(title));
  if (entries.length === 0) {
    const none = noneFound(kind);
    const blocks = [heading, { type: "section" as const, text: plainText(none) }];
    return {
      blocks: options.note ? [...blocks, context(options.note)] : blocks,
      text: notification(title, none),
      shown: 0,
    };
  }

  const { blocks, shown } = entriesOf(kind, entries, clock, title, options);
  const { position } = options;
  const what = position ? pageWords(kind, position, shown) : countWords(kind, entries, shown);
  return {
    blocks: [heading, ...blocks, context(capital(what), options.note)],
    text: notification(title, what),
    shown,
  };
}

function entriesOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  caption: string,
  { style, pageSize, atMost }: SlackLogsOptions,
) {
  if (style === "compact") return linesOf(kind, entries, clock, within(atMost, 100));
  const { block, shown } = tableOf(kind, entries, clock, {
    caption,
    pageSize: within(pageSize, 10),
    atMost: within(atMost, 100),
  });
  return { blocks: [block], shown };
}

/** A count from 1 to 100. */
function within(given: number | undefined, otherwise: number): number {
  return Math.min(Math.max(Math.floor(given ?? otherwise) || 1, 1), 100);
}

/** "51–70 of 1,000 webhooks". */
function pageWords(kind: LogKind, { from, total }: { from: number; total: number }, shown: number): string {
  const last = shown > 1 ? `–${formatCount(from + shown - 1)}` : "";
  return `${formatCount(from)}${last} of ${amountOf(kind, total)}`;
}

function countWords(kind: LogKind, entries: readonly unknown[], shown: number): string {
  const all = amountOf(kind, entries.length);
  if (shown === entries.length) return all;
  const field = timeFieldOf(kind);
  const times = entries.map((entry) => millisecondsOf(fieldOf(entry, field)) ?? Number.NaN);
  const oldest = Math.min(...times.slice(0, shown));
  // The service lists them so, but they may be given in any order.
  const isNewest = times.slice(shown).every((time) => time <= oldest);
  return `${isNewest ? "newest" : "first"} ${formatCount(shown)} of ${all}`;
}
