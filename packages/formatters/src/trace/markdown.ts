import type { Trace } from "@media-ops/reports";
import { answerText, tableBelow } from "../markdown/markup.js";
import { NOTHING } from "../values/text.js";
import { factWords, type TraceOptions, timelineOf } from "./timeline.js";

/**
 * A trace as a table, oldest first: what was not searched, what was found, and a row for each entry, with its date.
 */
export function formatTrace(trace: Trace, options: TraceOptions): string {
  const timeline = timelineOf(trace, options);
  const { clock, items, candidates } = timeline;
  const rows = items.flatMap((item): [string, string][] => {
    if (item.is === "day") return [];
    if (item.is === "gap") return [["", item.text]];
    const { time, words } = item;
    return [[time === undefined ? NOTHING : clock.full(time), factWords(words.text, words.facts)]];
  });
  const found = candidates.map(({ text, time }) => [text, time === undefined ? NOTHING : clock.full(time)]);
  const tables = [
    ...tableBelow([{ title: `Time (${clock.timeZone})` }, { title: "What happened" }], rows),
    ...tableBelow([{ title: "May be" }, { title: `Last seen (${clock.timeZone})` }], found),
  ];
  return answerText(timeline, tables);
}
