import type { Trace } from "@media-ops/reports";
import { answerText, screenOf, type TerminalScreenOptions, type TimedScreen, textLines } from "../terminal/screen.js";
import { clean, textWidth, wrap } from "../terminal/width.js";
import { formatAgo } from "../values/time.js";
import { factWords, type TimelineItem, type TraceOptions, timelineOf } from "./timeline.js";

/** A trace as a timeline, oldest first: what was not searched, what was found, and a line for each entry. */
export function formatTrace(trace: Trace, options: TraceOptions & TerminalScreenOptions): string {
  const timeline = timelineOf(trace, options);
  const { clock, items, candidates, notes } = timeline;
  const screen = { ...screenOf(options), clock };
  const found = candidates.map(({ text, time }) => {
    return `${text}${time === undefined ? "" : `, last seen ${clock.short(time)} · ${formatAgo(time, clock.now)}`}`;
  });
  const lines = [
    ...(items.length > 0 ? [""] : []),
    ...items.flatMap((item) => itemLines(item, screen)),
    ...found.flatMap((text) => textLines(text, "plain", screen)),
    ...(notes.length > 0 ? [""] : []),
    ...notes.flatMap((note) => textLines(note, "faint", screen)),
  ];
  return answerText({ ...timeline, notes: [] }, lines, screen);
}

const TIME = "14:02:11".length;
/** Narrower terminals have no space beside the times. */
const NARROW = 24;

function itemLines(item: TimelineItem, { width, paint, clock }: TimedScreen): string[] {
  const isBeside = width > NARROW;
  const indent = isBeside ? " ".repeat(TIME + 1) : "";
  if (item.is === "day") return wrap(item.text, width).map((line) => paint(line, "title"));
  if (item.is === "gap") return wrap(item.text, width - indent.length).map((line) => indent + paint(line, "faint"));
  const { time, words } = item;
  const { text, tone, facts } = words;
  const clocked = time === undefined ? "–" : clock.full(time).slice(-TIME);
  const whole = clean(factWords(text, facts));
  const start = clean(text);
  const painted =
    textWidth(whole) + indent.length <= width && whole.startsWith(start)
      ? [paint(start, tone) + paint(whole.slice(start.length), "faint")]
      : wrap(whole, width - indent.length).map((line) => paint(line, tone));
  if (!isBeside) return [...wrap(clocked, width), ...painted];
  return painted.map((line, at) => (at === 0 ? clocked.padEnd(indent.length) : indent) + line);
}
