import type { LogKind } from "@media-ops/sdk";
import type { SectionBlock } from "@slack/types";
import { columnsOf, type FieldColumn } from "../columns.js";
import { show } from "../values/show.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { codeSpan, escapeMrkdwn } from "./escape.js";
import { dateSpan, formatFor, isWritable, mrkdwn, TEXT } from "./parts.js";

/** Slack refuses a message when all its texts together are too long, somewhere above 11,000; it does not say where. */
const CHARACTERS = 9000;

/** One line for each of the first entries, as many as there is room for. */
export function linesOf(
  kind: LogKind,
  entries: readonly unknown[],
  clock: Clock,
  atMost: number,
): { blocks: SectionBlock[]; shown: number } {
  const shownColumns = inLineOrder(kind);
  const sections: string[] = [];
  let [room, shown] = [CHARACTERS, 0];
  for (const entry of entries.slice(0, atMost)) {
    const line = lineOf(entry, shownColumns, clock);
    room -= line.length + 1;
    if (room < 0) break;
    const section = sections.at(-1);
    if (section !== undefined && section.length + line.length < TEXT) sections[sections.length - 1] += `\n${line}`;
    else sections.push(line);
    shown += 1;
  }
  return { blocks: sections.map((text) => ({ type: "section", text: mrkdwn(text) })), shown };
}

/** How it went comes first: the marks then stand below each other. */
function inLineOrder(kind: LogKind): FieldColumn[] {
  const inTable = columnsOf(kind).filter((column) => column.in === "table");
  return [...inTable.filter(({ as }) => as === "status"), ...inTable.filter(({ as }) => as !== "status")];
}

function lineOf(entry: unknown, shownColumns: readonly FieldColumn[], clock: Clock): string {
  const parts = shownColumns.map((column) => partOf(entry, column, clock)).filter((part) => part !== "");
  return parts.join(" · ") || NOTHING;
}

function partOf(entry: unknown, column: FieldColumn, clock: Clock): string {
  const { text, time, number } = show(entry, column, clock);
  if (text === NOTHING) return "";
  if (isWritable(time)) return dateSpan(time, formatFor(time, clock.now));
  if (number === undefined) return codeSpan(text);
  // A figure without a word says nothing, but a status has its mark.
  return escapeMrkdwn(column.as === "status" ? text : `${column.title.toLowerCase()} ${text}`);
}
