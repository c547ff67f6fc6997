import { type LogKind, readTimestamp } from "@media-ops/contract";
import type { Trace, TraceLine, TraceSubject } from "@media-ops/reports";
import { countIn, DAY, fieldOf, HOUR, isOptionalLog, MINUTE, TIME_FIELD } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { capital, incompleteWords, logNameOf, spanWords } from "./logs.js";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { clean, fit, textWidth, wrap } from "./terminal/width.js";
import { type AnswerOptions, answerFrame } from "./values/answer.js";
import { counted, formatBytes, formatCount, formatDuration, formatWithin } from "./values/numbers.js";
import { briefAddress, briefChannel, briefId, channelWords, formatStatus, reasonIn, type Tone } from "./values/show.js";
import { brief, type Clock, formatAgo, listWords, monthAndDay, NOTHING, oneLine, textOf } from "./values/words.js";

/** The options of every printed trace. */
export interface TraceOptions extends AnswerOptions {
  /** The range in words, such as "in the last 2 hours". @default not said */
  when?: string | undefined;
  /** The excluded end of the range, in milliseconds since 1970. @default now */
  until?: number | undefined;
}

type TimelineItem =
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

type Timeline = ReturnType<typeof timelineOf>;

/**
 * A trace in words, oldest first, and what was found in a sentence. `count` is the number of lines, and `candidates` are
 * the several things that the text may name.
 */
export function timelineOf(trace: Trace, options: TraceOptions) {
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
    words: traceWords(trace, items, shared, options.when ?? "", clock),
    items: withGapsAndDays(items, clock),
    count: items.length,
    candidates: trace.candidates.map(({ subject, id, timestamp }) => {
      return { text: `${subject} ${oneLine(id)}`, time: readTimestamp(timestamp) };
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
  const from = readTimestamp(searchedTo);
  const to = until ?? clock.now;
  return incompleteWords(from === undefined ? undefined : { from, to: Math.max(from, to) }, clock);
}

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

/** "12 lines in the last 2 hours, 3 of them failures, 14:02:11–14:04:02 UTC · client c1 · in lobby" */
function traceWords(
  trace: Trace,
  items: readonly TimelineLine[],
  shared: readonly LineFact[],
  when: string,
  clock: Clock,
): string {
  const range = when === "" ? "" : ` ${when}`;
  if (trace.candidates.length > 0) return "This could be any of these:";
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

function dayWords(day: string, today: string): string {
  if (day === today) return "Today";
  return day.slice(0, 4) === today.slice(0, 4) ? monthAndDay(day) : day;
}

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

/** A line of a trace in words, before a printer escapes it. */
export interface LineWords {
  /** What happened, such as "client c1 refused: channel full (5 of 5)". */
  text: string;
  tone: Tone;
  /** The client, the channel and the node. */
  facts: readonly LineFact[];
}

/** A field of an entry in words, such as "on node-2". */
interface LineFact {
  field: string;
  text: string;
}

export interface TraceLineOptions {
  /** Whether only what happened is said, without the client, the channel, the role and the node. @default false */
  isBrief?: boolean | undefined;
}

/**
 * A line of a trace in words, without its time: "connection 0J9V6TQ2…W1NA failed after 20 s: ICE timeout · client c1 ·
 * in lobby · on node-2". It is on one line, and contains untrusted text, which is not escaped.
 */
export function traceLineWords(line: TraceLine, { isBrief = false }: TraceLineOptions = {}): string {
  const { text, facts } = lineWords(line);
  return isBrief ? text : factWords(text, facts);
}

const factWords = (text: string, facts: readonly LineFact[]): string =>
  [text, ...facts.map((fact) => fact.text)].join(" · ");

/** The time of a line in milliseconds since 1970; `undefined` if its entry has no valid one. */
export const timeOfLine = (line: TraceLine): number | undefined =>
  readTimestamp(fieldOf(fieldOf(line, "entry"), TIME_FIELD));

/** What a line says of a refused client. */
const ofRefusal = ["type", "client_id", "channel_id", "role", "node_name", "reason"];

/** Whether both lines are about the same client, refused for the same reason. */
function isSameRefusal(one: TraceLine, other: TraceLine): boolean {
  const [entry, next] = [fieldOf(one, "entry"), fieldOf(other, "entry")];
  return (
    isRefusal(one) &&
    isGiven(entry, "client_id") &&
    ofRefusal.every((name) => fieldOf(entry, name) === fieldOf(next, name))
  );
}

const isRefusal = (line: TraceLine): boolean => fieldOf(fieldOf(line, "entry"), "type") === "admission.refused";

/**
 * A line of a trace in words; never throws, whatever the entry contains.
 *
 * @param repeats the same refusal, later
 */
export function lineWords(line: TraceLine, ...repeats: readonly TraceLine[]): LineWords {
  const [kind, entry, end] = ["kind", "entry", "end"].map((field) => fieldOf(line, field));
  switch (kind) {
    case "events":
      return isRefusal(line) ? refusalWords([line, ...repeats]) : eventWords(entry, end);
    case "connections":
      return endWords("connection", entry, entry);
    case "sessions":
      return endWords("session", entry, entry);
    case "webhooks":
      return callWords(`webhook ${brief(textIn(entry, "type"), NAME)}`, entry);
    case "media-api":
      // The version of the media API, which stands before the operation, explains nothing.
      return callWords(`media API ${brief(textIn(entry, "media_target").replace(/^.*\.(?=.)/, ""), NAME)}`, entry);
    case "api":
      return { ...callWords(`API ${briefAddress(textIn(entry, "url"))}`, entry), facts: [] };
    default:
      return { text: brief(textOf(kind), NAME), tone: "plain", facts: factsOf(entry, []) };
  }
}

function eventWords(entry: unknown, end: unknown): LineWords {
  const type = brief(textIn(entry, "type"), NAME);
  const [object = "", action = ""] = type.split(/\.(.*)/, 2);
  const isOwn = action !== "" && (object === "connection" || object === "session");
  if (isOwn && action === "destroyed") return endWords(object, entry, end);
  const what = isOwn ? `${named(object, entry)} ${action}` : type.replaceAll(".", " ");
  const after = action === "created" ? "" : afterPart(durationOf(entry, end));
  const text = `${what}${after}${timesPart(entry, " ")}${reasonPart(entry)}`;
  return { text, tone: toneOf(entry), facts: factsOf(entry, isOwn ? [`${object}_id`] : []) };
}

/** "client c1 refused 115× within 19 min: token expired (4 min earlier)" */
function refusalWords(lines: readonly [TraceLine, ...TraceLine[]]): LineWords {
  const [entry, last] = [lines[0], lines.at(-1)].map((line) => fieldOf(line, "entry"));
  const who = isGiven(entry, "client_id") ? "client" : isGiven(entry, "connection_id") ? "connection" : undefined;
  const [from, to] = [entry, last].map((one) => readTimestamp(fieldOf(one, TIME_FIELD)));
  const count = lines.reduce((sum, line) => sum + (countIn(fieldOf(line, "entry"), "count") ?? 1), 0);
  const times = timesWords(count, lines.length > 1 && from !== undefined && to !== undefined ? to - from : MINUTE);
  const text = `${who ? named(who, entry) : "a client"} refused${times && ` ${times}`}${reasonPart(last)}`;
  return { text, tone: toneOf(entry), facts: factsOf(entry, ["client_id", "connection_id"]) };
}

type Named = "client" | "connection" | "session";

/** An end, with the figures of the entry that the log of connections or sessions has about it. */
function endWords(object: "connection" | "session", entry: unknown, end: unknown): LineWords {
  const isFailed = toneOf(entry) === "bad";
  const how = isFailed ? "failed" : "ended";
  const what = `${named(object, entry)} ${how}${afterPart(durationOf(entry, end))}${reasonPart(entry)}`;
  const figures = object === "connection" ? connectionFigures(end) : sessionFigures(end);
  return {
    text: [isFailed ? what : `✓ ${what}`, ...figures].join(", "),
    tone: isFailed ? "bad" : "good",
    facts: factsOf(entry, [`${object}_id`]),
  };
}

function connectionFigures(end: unknown): string[] {
  const [received, sent] = [countIn(end, "total_received_bytes"), countIn(end, "total_sent_bytes")];
  return [
    ...(received === undefined ? [] : [`${formatBytes(received)} received`]),
    ...(sent === undefined ? [] : [`${formatBytes(sent)} sent`]),
  ];
}

function sessionFigures(end: unknown): string[] {
  const [total, peak] = [countIn(end, "total_connections"), countIn(end, "max_connections")];
  return [
    ...(total === undefined ? [] : [`${formatCount(total)} ${total === 1 ? "connection" : "connections"}`]),
    ...(peak === undefined ? [] : [`at most ${formatCount(peak)} at once`]),
  ];
}

function callWords(what: string, entry: unknown): LineWords {
  const [status, took] = [countIn(entry, "status"), countIn(entry, "elapsed_time_ms")];
  const { tone } = formatStatus(status ?? -1);
  const answer = status === undefined ? NOTHING : status === 0 ? "no answer" : String(status);
  const duration = took === undefined ? "" : ` ${status === 0 ? "after" : "in"} ${formatDuration(took)}`;
  const text = `${what} → ${answer}${duration}${timesPart(entry, ", ")}`;
  return { text, tone: tone === "good" ? "plain" : tone, facts: factsOf(entry, []) };
}

/** A good event is nothing special, and needs no mark. */
function toneOf(entry: unknown): Tone {
  const outcome = fieldOf(entry, "outcome");
  return outcome === "refused" || outcome === "failed" ? "bad" : "plain";
}

function named(object: Named, entry: unknown): string {
  if (!isGiven(entry, `${object}_id`)) return `a ${object}`;
  const id = textIn(entry, `${object}_id`);
  return `${object} ${object === "client" ? brief(id, NAME) : briefId(id)}`;
}

function reasonPart(entry: unknown): string {
  const reason = reasonIn(entry);
  return reason === "" ? "" : `: ${brief(reason, LONGEST)}`;
}

/** How often it happened, if the entry stands for several. */
function timesPart(entry: unknown, before: string): string {
  const times = timesWords(countIn(entry, "count") ?? 1, MINUTE);
  return times && before + times;
}

/** "6× within a minute", "115× within 19 min"; empty for once */
function timesWords(count: number, length: number): string {
  if (count <= 1) return "";
  return `${formatCount(count)}× within ${formatWithin(Math.max(length, MINUTE))}`;
}

const afterPart = (duration: number | undefined): string =>
  duration === undefined ? "" : ` after ${formatDuration(duration)}`;

/** How long something had existed, in milliseconds, as precisely as it is known. */
function durationOf(entry: unknown, end: unknown): number | undefined {
  const [elapsed, minutes] = [countIn(entry, "elapsed_time_ms"), countIn(end, "duration_min")];
  if (elapsed !== undefined) return elapsed;
  const [from, to] = ["created_timestamp", "destroyed_timestamp"].map((field) => readTimestamp(fieldOf(end, field)));
  if (from !== undefined && to !== undefined && to >= from) return to - from;
  return minutes === undefined ? undefined : minutes * MINUTE;
}

const facts: readonly { field: string; write(text: string): string }[] = [
  { field: "connection_id", write: (id) => `connection ${briefId(id)}` },
  { field: "client_id", write: (id) => `client ${brief(id, NAME)}` },
  { field: "channel_id", write: (id) => `in ${briefChannel(id)}` },
  { field: "role", write: (role) => brief(role, NAME) },
  { field: "node_name", write: (node) => `on ${brief(node, NAME)}` },
  { field: "url", write: (url) => `to ${briefAddress(url)}` },
];

/** The facts of an entry, except those that were said. */
function factsOf(entry: unknown, said: readonly string[]): LineFact[] {
  return facts
    .filter(({ field }) => !said.includes(field) && isGiven(entry, field))
    .map(({ field, write }) => ({ field, text: write(textIn(entry, field)) }));
}

/** Longer texts lose their middle, so that a line stays readable. */
const LONGEST = 160;
const NAME = 40;

/** The longest name of the contract; more is not read. */
const READ = 255;

const isGiven = (entry: unknown, field: string): boolean => textOf(fieldOf(entry, field)) !== NOTHING;

const textIn = (entry: unknown, field: string): string => brief(textOf(fieldOf(entry, field)), READ);

/** A message with a trace. */
export interface SlackTraceMessage extends slack.SlackMessage {
  /** How many of the trace's lines it shows: the newest ones. The others did not fit. */
  shown: number;
}

/**
 * A trace as a timeline, oldest first: what was not searched, what was found, and a line for each entry. Slack shows
 * times in the zone of each reader. If not all lines fit, the newest are shown, and the message says so.
 */
export function slackTrace(trace: Trace, options: TraceOptions): SlackTraceMessage {
  const timeline = timelineOf(trace, options);
  const { clock, candidates, count } = timeline;
  const { lines, fits, shown } = fittingLines(timeline);
  const omitted = count - fits;
  const older =
    omitted === 0
      ? ""
      : `The newest ${formatCount(fits)} of ${formatCount(count)} lines: ${formatCount(omitted)} older ${omitted === 1 ? "one does" : "ones do"} not fit.`;
  const named = candidates.slice(0, CANDIDATES).map((one) => candidateItem(one, clock));
  const blocks = [...slackBlocks(lines), ...(named.length === 0 ? [] : [slack.bulletList(named)])];
  return { ...slack.answerMessage(timeline, blocks, older), shown };
}

/** How many things a short text may name before more of it must be typed. */
const CANDIDATES = 20;
const LONGEST_NAME = 300;

function candidateItem({ text, time }: Timeline["candidates"][number], clock: Clock): RichTextElement[] {
  const name = slack.piece(fit(text, LONGEST_NAME));
  return slack.isWritable(time) ? [name, slack.piece(", last seen "), slack.timeElement(time, clock)] : [name];
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
function fittingLines({ items, clock }: Timeline): { lines: Line[]; fits: number; shown: number } {
  // Readers are in different zones: instead of a heading for each day, each line has its date.
  const format = items.some(({ is }) => is === "day") ? "{date_num} {time_secs}" : "{time_secs}";
  const lines = items.flatMap((item) => (item.is === "day" ? [] : [slackLine(item, format, clock)]));
  const newest = slack.fitting(lines.reverse(), ({ length }) => length);
  // What lies before a gap did not fit.
  if (newest.at(-1)?.is === "gap") newest.pop();
  return {
    lines: newest.reverse(),
    fits: newest.filter(({ is }) => is === "line").length,
    shown: newest.reduce((sum, { lines }) => sum + lines, 0),
  };
}

function slackLine(item: Exclude<TimelineItem, { is: "day" }>, format: string, clock: Clock): Line {
  if (item.is === "gap")
    return { is: "gap", lines: 0, elements: [slack.piece(item.text)], length: item.text.length + 1 };
  const { time, words } = item;
  const said = fit(words.text, LONGEST_LINE);
  const facts = fit(factWords("", words.facts), LONGEST_LINE);
  const clocked = slack.isWritable(time)
    ? { element: slack.date(time, format), length: slack.dateLength(time, format) }
    : { element: slack.piece(time === undefined ? NOTHING : clock.short(time)), length: LONGEST_TIME };
  return {
    is: "line",
    lines: item.lines,
    elements: [
      clocked.element,
      slack.piece(" "),
      words.tone === "bad" ? slack.bold(said) : slack.piece(said),
      ...(facts === "" ? [] : [slack.piece(facts)]),
    ],
    length: clocked.length + said.length + facts.length + 2,
  };
}

const LONGEST_TIME = "2026-11-21 14:02:11".length;

function slackBlocks(lines: readonly Line[]): slack.SlackBlock[] {
  const blocks: RichTextElement[][] = [];
  let room = 0;
  for (const { elements, length } of lines) {
    if (length <= room) blocks.at(-1)?.push(slack.piece("\n"), ...elements);
    else blocks.push([...elements]);
    room = (length <= room ? room : slack.TEXT) - length;
  }
  return blocks.map((elements) => slack.richText(...elements));
}

/** A trace as a timeline, oldest first: what was not searched, what was found, and a line for each entry. */
export function terminalTrace(trace: Trace, options: TraceOptions & terminal.TerminalScreenOptions): string {
  const timeline = timelineOf(trace, options);
  const { clock, items, candidates, notes } = timeline;
  const screen = { ...terminal.screenOf(options), clock };
  const found = candidates.map(({ text, time }) => {
    return `${text}${time === undefined ? "" : `, last seen ${clock.short(time)} · ${formatAgo(time, clock.now)}`}`;
  });
  const lines = [
    ...(items.length > 0 ? [""] : []),
    ...items.flatMap((item) => timelineLines(item, screen)),
    ...found.flatMap((text) => terminal.textLines(text, "plain", screen)),
    ...(notes.length > 0 ? [""] : []),
    ...notes.flatMap((note) => terminal.textLines(note, "faint", screen)),
  ];
  return terminal.answerText({ ...timeline, notes: [] }, lines, screen);
}

const TIME = "14:02:11".length;
/** Narrower terminals have no space beside the times. */
const NARROW = 24;

function timelineLines(item: TimelineItem, { width, paint, clock }: terminal.TimedScreen): string[] {
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

/**
 * A trace as a table, oldest first: what was not searched, what was found, and a row for each entry, with its date.
 */
export function markdownTrace(trace: Trace, options: TraceOptions): string {
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
    ...markdown.tableBelow([{ title: `Time (${clock.timeZone})` }, { title: "What happened" }], rows),
    ...markdown.tableBelow([{ title: "May be" }, { title: `Last seen (${clock.timeZone})` }], found),
  ];
  return markdown.answerText(timeline, tables);
}
