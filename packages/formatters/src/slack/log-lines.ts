import type { LogKind } from "@media-ops/sdk";
import type { SectionBlock } from "@slack/types";
import type { FieldColumn } from "../columns.js";
import { lineColumnsOf, textInLine } from "../line.js";
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
  const columns = lineColumnsOf(kind);
  const sections: string[] = [];
  let [room, shown] = [CHARACTERS, 0];
  for (const entry of entries.slice(0, atMost)) {
    const parts = columns.map((column) => partOf(entry, column, clock)).filter((part) => part !== "");
    const line = parts.join(" · ") || NOTHING;
    room -= line.length + 1;
    if (room < 0) break;
    const section = sections.at(-1);
    if (section !== undefined && section.length + line.length < TEXT) sections[sections.length - 1] += `\n${line}`;
    else sections.push(line);
    shown += 1;
  }
  return { blocks: sections.map((text) => ({ type: "section", text: mrkdwn(text) })), shown };
}

function partOf(entry: unknown, column: FieldColumn, clock: Clock): string {
  const shown = show(entry, column, clock);
  const { text, time, number } = shown;
  if (text === NOTHING) return "";
  if (isWritable(time)) return dateSpan(time, formatFor([time], clock.now));
  return number === undefined ? codeSpan(text) : escapeMrkdwn(textInLine(column, shown));
}
