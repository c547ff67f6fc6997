import type { LogKind } from "@media-ops/contract";
import type { Trace, TraceLine, TraceSubject } from "@media-ops/reports";
import { DAY, HOUR, isOptionalLog, MINUTE, millisecondsOf } from "@media-ops/reports/entries";
import { capital, logNameOf } from "../logs/columns.js";
import { incompleteWords, spanWords } from "../logs/heading.js";
import { type Answer, type AnswerOptions, answerFrame } from "../values/answer.js";
import { counted, formatCount, formatDuration } from "../values/numbers.js";
import { channelWords } from "../values/show.js";
import { listWords, oneLine, textOf } from "../values/text.js";
import { type Clock, monthAndDay } from "../values/time.js";
import { factWords, isSameRefusal, type LineFact, type LineWords, lineWords, timeOfLine } from "./line.js";

/** The options of every printed trace. */
export interface TraceOptions extends AnswerOptions {
  /** The range in words, such as "in the last 2 hours". @default not said */
  when?: string | undefined;
  /** The excluded end of the range, in milliseconds since 1970. @default now */
  until?: number | undefined;
}

/** A part of a timeline. */
export type TimelineItem =
  | {
      readonly is: "line";
      readonly time: number | undefined;
      readonly words: LineWords;
      /** How many lines of the trace it has: those of a client that was refused again and again are one. */
      readonly lines: number;
      /** The time of the last of these. */
      readonly until: number | undefined;
    }
  /** Time without entries. */
  | { readonly is: "gap"; readonly text: string }
  /** The day of the lines that follow. */
  | { readonly is: "day"; readonly text: string };

/** A trace in words, and what was found in a sentence. */
export interface Timeline extends Answer {
  items: readonly TimelineItem[];
  /** The number of lines. */
  count: number;
  /** Several things that the text may name, one per line. */
  candidates: readonly { text: string; time: number | undefined }[];
}

/** The timeline of a trace, oldest first. */
export function timelineOf(trace: Trace, options: TraceOptions): Timeline {
  const frame = answerFrame(options, subjectWords(trace));
  const { clock } = frame;
  const lines = withoutRepeats(trace.lines).map((same) => ({ ...timesOf(same), words: lineWords(...same) }));
  const shared = sharedFacts(lines.map(({ words }) => words));
  const isSaid = ({ field }: LineFact): boolean =>
    field === `${trace.subject}_id` || shared.some((fact) => fact.field === field);
  const items = lines.map(({ words, ...times }): TimelineLine => {
    return { is: "line", ...times, words: { ...words, facts: words.facts.filter((fact) => !isSaid(fact)) } };
  });
  const beyond = [trace.older ? "There may be older lines." : "", trace.newer ? "There may be newer lines." : ""];
  return {
    ...frame,
    incomplete: [incompleteTrace(trace, options, clock), missingWords(trace.missing)].filter(Boolean).join(" "),
    words: traceWords(trace, { items, shared, when: options.when ?? "", clock }),
    items: withGapsAndDays(items, clock),
    count: items.length,
    candidates: trace.candidates.map(({ subject, id, timestamp }) => {
      return { text: `${subject} ${oneLine(id)}`, time: millisecondsOf(timestamp) };
    }),
    notes: [...beyond, ...frame.notes].filter((text) => text !== ""),
  };
}

type TimelineLine = Extract<TimelineItem, { is: "line" }>;

/** The lines, with those together that soon repeat the one before. */
function withoutRepeats(lines: readonly TraceLine[]): [TraceLine, ...TraceLine[]][] {
  const groups: [TraceLine, ...TraceLine[]][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    if (group && isRepeat(group.at(-1) ?? group[0], line)) group.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** After a longer pause, it has a line of its own. */
const isRepeat = (one: TraceLine, next: TraceLine): boolean =>
  isSameRefusal(one, next) && (timeOfLine(next) ?? 0) - (timeOfLine(one) ?? 0) < GAPS[0];

function timesOf(lines: readonly [TraceLine, ...TraceLine[]]): Pick<TimelineLine, "time" | "until" | "lines"> {
  const time = timeOfLine(lines[0]);
  return { time, until: timeOfLine(lines.at(-1) ?? lines[0]) ?? time, lines: lines.length };
}

function incompleteTrace({ complete, searchedTo }: Trace, { until }: TraceOptions, clock: Clock): string {
  if (complete) return "";
  const from = millisecondsOf(searchedTo);
  const to = until ?? clock.now;
  return incompleteWords(from === undefined ? undefined : { from, to: Math.max(from, to) }, clock);
}

/** "This service has no event log." */
function missingWords(missing: readonly LogKind[]): string {
  const others = missing.filter((kind) => !isOptionalLog(kind)).map(logNameOf);
  return [
    ...missing.filter(isOptionalLog).map((kind) => `This service has no ${logNameOf(kind)}.`),
    ...(others.length === 0
      ? []
      : [`Not searched: ${listWords(others)}, whose entries don't say what they are about.`]),
  ].join(" ");
}

/** "Connection 0J9V6TQ2M4EXK7C3R8ZB5HW1NA", with the whole id, so that it can be copied. */
function subjectWords({ subject, id }: Trace): string {
  if (subject === undefined) return `Trace of ${textOf(id)}`;
  const name = subject === "channel" ? channelWords(id) : textOf(id);
  return `${capital(subject)} ${name}`;
}

/** The facts that all lines share which have such a fact: they are said once. */
function sharedFacts(lines: readonly LineWords[]): LineFact[] {
  const byField = new Map<string, LineFact[]>();
  for (const fact of lines.flatMap(({ facts }) => facts)) {
    byField.set(fact.field, [...(byField.get(fact.field) ?? []), fact]);
  }
  return [...byField.values()].flatMap((facts) => {
    const [first] = facts;
    return first && facts.length > 1 && facts.every(({ text }) => text === first.text) ? [first] : [];
  });
}

interface Found {
  items: readonly TimelineLine[];
  shared: readonly LineFact[];
  when: string;
  clock: Clock;
}

/** "12 lines in the last 2 hours, 3 of them failures, 14:02:11–14:04:02 UTC · client c1 · in lobby" */
function traceWords(trace: Trace, { items, shared, when, clock }: Found): string {
  const range = when === "" ? "" : ` ${when}`;
  if (trace.candidates.length > 0) return "This may be several things:";
  if (items.length === 0) return `Nothing was found${trace.complete ? "" : " there"}${range}. ${searchedWords(trace)}`;
  const failed = items.filter(({ words }) => words.tone === "bad").length;
  const times = items.flatMap(({ time, until }) => [time, until]).filter((time) => time !== undefined);
  const [from, to] = [times.at(0), times.at(-1)];
  const amount = [
    `${counted(items.length, "line", "lines")}${range}`,
    ...failureWords(failed, items.length),
    ...(from === undefined || to === undefined ? [] : [rangeWords(from, to, clock)]),
  ].join(", ");
  const about = shared
    .filter(({ field }) => field !== `${trace.subject}_id`)
    .map((fact) => (fact.field === "url" ? { ...fact, text: `webhooks ${fact.text}` } : fact));
  return factWords(amount, about);
}

function failureWords(failed: number, count: number): string[] {
  if (failed === 0) return [];
  if (count === 1) return ["a failure"];
  return [`${formatCount(failed)} of them ${failed === 1 ? "a failure" : "failures"}`];
}

function rangeWords(from: number, to: number, clock: Clock): string {
  if (clock.short(from) !== clock.short(to)) return spanWords({ from, to }, clock);
  return `at ${clock.short(from)}${clock.timeZone === "UTC" ? " UTC" : ""}`;
}

/** The logs in which a trace looks for each subject, or for what a text names. */
const searchedFor: { readonly [Subject in TraceSubject | "unknown"]: readonly LogKind[] } = {
  connection: ["events", "connections", "webhooks"],
  session: ["events", "connections", "sessions"],
  client: ["events", "connections"],
  bundle: ["events", "connections"],
  channel: ["events", "connections", "sessions", "media-api", "webhooks"],
  unknown: ["events", "connections", "sessions"],
};

/** "Searched: event log, connection log and session log." */
function searchedWords({ subject, missing }: Trace): string {
  const searched = searchedFor[subject ?? "unknown"].filter((kind) => !missing.includes(kind));
  return searched.length === 0 ? "" : `Searched: ${listWords(searched.map(logNameOf))}.`;
}

/** The lines, with the days and the longer times without entries between them. */
function withGapsAndDays(lines: readonly TimelineLine[], clock: Clock): TimelineItem[] {
  const times = lines.flatMap(({ time, until }) =>
    time === undefined || until === undefined ? [] : [{ time, until }],
  );
  const least = leastGap(times.slice(1).map(({ time }, at) => time - (times[at]?.until ?? time)));
  const dayOf = (time: number): string => clock.full(time).slice(0, "2026-11-21".length);
  let day = dayOf(clock.now);
  let before: number | undefined;
  return lines.flatMap((line) => {
    const { time } = line;
    if (time === undefined) return [line];
    const items: TimelineItem[] = [line];
    if (dayOf(time) !== day) items.unshift({ is: "day", text: dayWords(dayOf(time), dayOf(clock.now)) });
    if (before !== undefined && time - before >= least) items.unshift({ is: "gap", text: gapWords(time - before) });
    [day, before] = [dayOf(time), line.until];
    return items;
  });
}

/** "Nov 20", "2025-12-31" for another year, "Today". */
function dayWords(day: string, today: string): string {
  if (day === today) return "Today";
  return day.slice(0, 4) === today.slice(0, 4) ? monthAndDay(day) : day;
}

/** "… 12 min without entries …" */
const gapWords = (length: number): string =>
  `… ${formatDuration(Math.floor(length / MINUTE) * MINUTE)} without entries …`;

/** What counts as a gap, in milliseconds: the lines of a minute belong together, and those of a day may lie further apart. */
const GAPS = [5 * MINUTE, 30 * MINUTE, 3 * HOUR, DAY] as const;
/** Fewer gaps are shown whatever the number of lines. */
const FEW_GAPS = 3;
/** At least so many lines for each gap, so that the gaps divide the lines into groups. */
const LINES_PER_GAP = 4;

/**
 * How long nothing must have happened for a gap: as short as leaves more lines than gaps.
 *
 * @param between the times between lines that follow one another
 */
export function leastGap(between: readonly number[]): number {
  const most = Math.max(FEW_GAPS, Math.floor((between.length + 1) / LINES_PER_GAP));
  return GAPS.find((least) => between.filter((time) => time >= least).length <= most) ?? LONGEST_GAP;
}

const LONGEST_GAP = 7 * DAY;
