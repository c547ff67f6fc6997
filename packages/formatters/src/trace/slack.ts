import type { Trace } from "@media-ops/reports";
import type { RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  date,
  dateLength,
  fit,
  isWritable,
  LINES_CHARACTERS,
  piece,
  richText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
  timeElement,
} from "../slack/parts.js";
import { formatCount } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { factWords, type Timeline, type TimelineItem, type TraceOptions, timelineOf } from "./timeline.js";

export interface SlackTraceOptions extends TraceOptions {}

/** A message with a trace. */
export interface SlackTraceMessage extends SlackMessage {
  /** How many of the trace's lines it shows: the newest ones. The others did not fit. */
  shown: number;
}

/**
 * A trace as a timeline, oldest first: what was not searched, what was found, and a line for each entry. Slack shows
 * times in the zone of each reader. If not all lines fit, the newest are shown, and the message says so.
 */
export function formatTrace(trace: Trace, options: SlackTraceOptions): SlackTraceMessage {
  const timeline = timelineOf(trace, options);
  const { clock, candidates, count } = timeline;
  const { lines, fits, shown } = fitting(timeline);
  const omitted = count - fits;
  const older =
    omitted === 0
      ? ""
      : `The newest ${formatCount(fits)} of ${formatCount(count)} lines: ${formatCount(omitted)} older ${omitted === 1 ? "one does" : "ones do"} not fit.`;
  const named = candidates.slice(0, CANDIDATES).map((one) => candidateItem(one, clock));
  const blocks = [...blocksOf(lines), ...(named.length === 0 ? [] : [bulletList(named)])];
  return { ...answerMessage(timeline, blocks, older), shown };
}

/** How many things a short text may name before more of it must be typed. */
const CANDIDATES = 20;
const LONGEST_NAME = 300;

function candidateItem({ text, time }: Timeline["candidates"][number], clock: Clock): RichTextElement[] {
  const name = piece(fit(text, LONGEST_NAME));
  return isWritable(time) ? [name, piece(", last seen "), timeElement(time, clock)] : [name];
}

/** Longer than any line of valid entries. */
const LONGEST_LINE = 500;

interface Line {
  is: TimelineItem["is"];
  /** How many lines of the trace it has. */
  lines: number;
  elements: RichTextElement[];
  length: number;
}

/** As many of the newest lines as fit, with the gaps between them. `shown` is the number of the trace's lines in them. */
function fitting({ items, clock }: Timeline): { lines: Line[]; fits: number; shown: number } {
  // Readers are in different zones: instead of a heading for each day, each line has its date.
  const format = items.some(({ is }) => is === "day") ? "{date_num} {time_secs}" : "{time_secs}";
  const newest: Line[] = [];
  let room = LINES_CHARACTERS;
  for (const item of [...items].reverse()) {
    if (item.is === "day") continue;
    const line = lineOf(item, format, clock);
    room -= line.length;
    if (room < 0) break;
    newest.push(line);
  }
  // What lies before a gap did not fit.
  if (newest.at(-1)?.is === "gap") newest.pop();
  return {
    lines: newest.reverse(),
    fits: newest.filter(({ is }) => is === "line").length,
    shown: newest.reduce((sum, { lines }) => sum + lines, 0),
  };
}

function lineOf(item: Exclude<TimelineItem, { is: "day" }>, format: string, clock: Clock): Line {
  if (item.is === "gap") return { is: "gap", lines: 0, elements: [piece(item.text)], length: item.text.length + 1 };
  const { time, words } = item;
  const said = fit(words.text, LONGEST_LINE);
  const facts = fit(factWords("", words.facts), LONGEST_LINE);
  const clocked = isWritable(time)
    ? { element: date(time, format), length: dateLength(time, format) }
    : { element: piece(time === undefined ? NOTHING : clock.short(time)), length: LONGEST_TIME };
  return {
    is: "line",
    lines: item.lines,
    elements: [
      clocked.element,
      piece(" "),
      words.tone === "bad" ? bold(said) : piece(said),
      ...(facts === "" ? [] : [piece(facts)]),
    ],
    length: clocked.length + said.length + facts.length + 2,
  };
}

const LONGEST_TIME = "2026-11-21 14:02:11".length;

/** The lines in few blocks. */
function blocksOf(lines: readonly Line[]): SlackBlock[] {
  const blocks: RichTextElement[][] = [];
  let room = 0;
  for (const { elements, length } of lines) {
    if (length <= room) blocks.at(-1)?.push(piece("\n"), ...elements);
    else blocks.push([...elements]);
    room = (length <= room ? room : TEXT) - length;
  }
  return blocks.map((elements) => richText(...elements));
}
