import type { Trace } from "@media-ops/sdk";
import { type TraceOptions, timelineOf } from "../timeline.js";
import { factWords } from "../trace-line.js";
import { NOTHING } from "../values/text.js";
import { escapeMarkdown, headingLines, tableLines } from "./markup.js";

export interface MarkdownTraceOptions extends TraceOptions {}

/**
 * A trace as a table, oldest first: what was not searched, what was found, and a row for each entry, with its date.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatTrace(trace: Trace, options: MarkdownTraceOptions): string {
  const { clock, incomplete, title, words, items, candidates, notes } = timelineOf(trace, options);
  const rows = items.flatMap((item): [string, string][] => {
    if (item.is === "day") return [];
    if (item.is === "gap") return [["", item.text]];
    const { time, words } = item;
    return [[time === undefined ? NOTHING : clock.full(time), factWords(words.text, words.facts)]];
  });
  const found = candidates.map(({ text, time }) => [text, time === undefined ? NOTHING : clock.full(time)]);
  const table = (titles: readonly string[], lines: readonly (readonly string[])[]): string[] =>
    lines.length === 0
      ? []
      : [
          "",
          ...tableLines(
            titles.map((title) => ({ title, isRight: false })),
            lines,
          ),
        ];
  return [
    ...(incomplete === "" ? [] : [`**${escapeMarkdown(incomplete)}**`, ""]),
    ...headingLines(title),
    escapeMarkdown(words),
    ...table([`Time (${clock.timeZone})`, "What happened"], rows),
    ...table(["May be", `Last seen (${clock.timeZone})`], found),
    ...notes.flatMap((note) => ["", escapeMarkdown(note)]),
  ].join("\n");
}
