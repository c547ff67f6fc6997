import type { TraceLine } from "@media-ops/reports";
import { fieldOf, MINUTE, millisecondsOf, TIME_FIELD } from "@media-ops/reports/entries";
import { formatBytes, formatCount, formatDuration, formatWithin } from "../values/numbers.js";
import { reasonIn } from "../values/reason.js";
import { briefAddress, briefChannel, briefId, formatStatus, type Tone } from "../values/show.js";
import { brief, NOTHING, textOf } from "../values/text.js";

/** A line of a trace in words, before a printer escapes it. */
export interface LineWords {
  /** What happened, such as "client c1 refused: channel full (5 of 5)". */
  text: string;
  tone: Tone;
  /** The client, the channel and the node. */
  facts: readonly LineFact[];
}

/** A field of an entry in words, such as "on node-2". */
export interface LineFact {
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

/** What happened, and its facts. */
export const factWords = (text: string, facts: readonly LineFact[]): string =>
  [text, ...facts.map((fact) => fact.text)].join(" · ");

/** The time of a line in milliseconds since 1970; `undefined` if its entry has no valid one. */
export const timeOfLine = (line: TraceLine): number | undefined =>
  millisecondsOf(fieldOf(fieldOf(line, "entry"), TIME_FIELD));

/** What a line says of a refused client. */
const ofRefusal = ["type", "client_id", "channel_id", "role", "node_name", "reason"];

/** Whether both lines are about the same client, refused for the same reason. */
export function isSameRefusal(one: TraceLine, other: TraceLine): boolean {
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
  const [from, to] = [entry, last].map((one) => millisecondsOf(fieldOf(one, TIME_FIELD)));
  const count = lines.reduce((sum, line) => sum + (numberIn(fieldOf(line, "entry"), "count") ?? 1), 0);
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
  const [received, sent] = [numberIn(end, "total_received_bytes"), numberIn(end, "total_sent_bytes")];
  return [
    ...(received === undefined ? [] : [`${formatBytes(received)} received`]),
    ...(sent === undefined ? [] : [`${formatBytes(sent)} sent`]),
  ];
}

function sessionFigures(end: unknown): string[] {
  const [total, peak] = [numberIn(end, "total_connections"), numberIn(end, "max_connections")];
  return [
    ...(total === undefined ? [] : [`${formatCount(total)} ${total === 1 ? "connection" : "connections"}`]),
    ...(peak === undefined ? [] : [`at most ${formatCount(peak)} at once`]),
  ];
}

/** A request and how it was answered. */
function callWords(what: string, entry: unknown): LineWords {
  const [status, took] = [numberIn(entry, "status"), numberIn(entry, "elapsed_time_ms")];
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

/** "connection 0J9V6TQ2…W1NA", "client c1" */
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
  const times = timesWords(numberIn(entry, "count") ?? 1, MINUTE);
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
  const [elapsed, minutes] = [numberIn(entry, "elapsed_time_ms"), numberIn(end, "duration_min")];
  if (elapsed !== undefined) return elapsed;
  const [from, to] = ["created_timestamp", "destroyed_timestamp"].map((field) => millisecondsOf(fieldOf(end, field)));
  if (from !== undefined && to !== undefined && to >= from) return to - from;
  return minutes === undefined ? undefined : minutes * MINUTE;
}

/** The facts of every entry, in order. */
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

function numberIn(entry: unknown, field: string): number | undefined {
  const value = fieldOf(entry, field);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
