import type { LogKind } from "@media-ops/sdk";
import { columns } from "../columns.js";
import { formatCount } from "../values/numbers.js";
import { clockFor, type TimeOptions } from "../values/time.js";
import { linesOf } from "./log-lines.js";
import { tableOf } from "./log-table.js";
import type { SlackMessage } from "./message.js";
import { bold, context, notification, plainText, richText, titleOf } from "./parts.js";

export interface FormatLogsOptions extends TimeOptions {
  /**
   * A table that can be sorted and leafed through, or a line for each entry where tables cannot be shown.
   * @default "table"
   */
  style?: "table" | "compact" | undefined;
  /** What was asked, in words. @default what the log is called */
  title?: string | undefined;
  /** What else is to be said below the entries. */
  note?: string | undefined;
  /** How many rows of the table are shown at once, from 1 to 100. @default 10 */
  pageSize?: number | undefined;
  /** How many entries are shown at most, from 1 to 100. @default 100 */
  atMost?: number | undefined;
}

/** A message with log entries. */
export interface LogsMessage extends SlackMessage {
  /** How many of the entries stand in it; the others had no room. */
  shown: number;
}

/**
 * Log entries as a message, in the order in which they are given: newest first, as the service lists them. Times are
 * written by Slack in the zone of each reader.
 */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: FormatLogsOptions): LogsMessage {
  const { one, many, title: log } = columns[kind];
  const title = titleOf(options.title, log);
  const heading = richText(bold(title));
  if (entries.length === 0) {
    const none = `No ${many} were found.`;
    const blocks = [heading, { type: "section" as const, text: plainText(none) }];
    return {
      blocks: options.note ? [...blocks, context(options.note)] : blocks,
      text: notification(title, none),
      shown: 0,
    };
  }

  const { blocks, shown } = entriesOf(kind, entries, title, options);
  const all = `${formatCount(entries.length)} ${entries.length === 1 ? one : many}`;
  const what = shown === entries.length ? all : `newest ${formatCount(shown)} of ${all}`;
  return {
    blocks: [heading, ...blocks, context(what.charAt(0).toUpperCase() + what.slice(1), options.note)],
    text: notification(title, what),
    shown,
  };
}

function entriesOf(
  kind: LogKind,
  entries: readonly unknown[],
  caption: string,
  { now, style, pageSize, atMost }: FormatLogsOptions,
) {
  // Slack writes the times; what it cannot write stands in universal time.
  const clock = clockFor({ now });
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
