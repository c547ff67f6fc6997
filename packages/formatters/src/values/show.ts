import { type EventReason, type FieldContent, type ReasonSpec, readTimestamp, reasons } from "@media-ops/contract";
import { type FieldColumn, fieldOf, SECOND } from "@media-ops/reports/entries";
import { formatBytes, formatCount, formatDuration, formatMinutes } from "./numbers.js";
import { brief, type Clock, formatAgo, NOTHING, oneLine, textOf } from "./words.js";

/** A value in a table, before a printer escapes and aligns it. */
export interface Shown {
  /** Short, on one line, and never empty. */
  text: string;
  tone: Tone;
  /** Milliseconds since 1970; only for times. */
  time?: number;
  /** The distance from now; only for times. */
  ago?: string;
  /** The sort key; only for numbers. */
  number?: number;
}

type Field = Pick<FieldColumn, "field" | "as">;

/** A field of an entry for people. A missing value is a dash; a value of another type shows as its text. */
export function show(entry: unknown, { field, as }: Field, clock: Clock): Shown {
  const value = valueIn(entry, field);
  if (isMissing(value)) return plain(NOTHING);
  return writers[as].short(value, clock, entry) ?? plain(brief(textOf(value), TEXT));
}

/** The same without omissions, for the details of an entry. */
export function showWhole(entry: unknown, { field, as }: Field, clock: Clock): string {
  const value = valueIn(entry, field);
  if (isMissing(value)) return NOTHING;
  return writers[as].whole(value, clock) ?? textOf(value);
}

/** The value of a column, which may be the sum of two fields. */
function valueIn(entry: unknown, field: string): unknown {
  if (field !== "total_bytes") return fieldOf(entry, field);
  const [received, sent] = [fieldOf(entry, "total_received_bytes"), fieldOf(entry, "total_sent_bytes")];
  return isNumber(received) && isNumber(sent) ? received + sent : undefined;
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === "";

const plain = (text: string): Shown => ({ text, tone: "plain" });

/** How values of a kind are written; `undefined` for a value of another type. */
interface Writer {
  short(value: unknown, clock: Clock, entry: unknown): Shown | undefined;
  whole(value: unknown, clock: Clock): string | undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function number(short: (value: number) => string, whole: (value: number) => string = short): Writer {
  return {
    short: (value) => (isNumber(value) ? { text: short(value), tone: "plain", number: value } : undefined),
    whole: (value) => (isNumber(value) ? whole(value) : undefined),
  };
}

function string(short: (value: string) => string, whole: (value: string) => string = oneLine): Writer {
  return {
    short: (value) => (typeof value === "string" ? plain(short(value)) : undefined),
    whole: (value) => (typeof value === "string" ? whole(value) : undefined),
  };
}

const time: Writer = {
  short(value, clock) {
    const time = readTimestamp(value);
    return time === undefined
      ? undefined
      : { text: clock.short(time), tone: "plain", time, ago: formatAgo(time, clock.now) };
  },
  whole(value, clock) {
    const time = readTimestamp(value);
    return time === undefined ? undefined : `${clock.zoned(time)} · ${formatAgo(time, clock.now)} · ${textOf(value)}`;
  },
};

/** A missing response sorts above every status. */
const WORST = 1000;

const status: Writer = {
  short(value) {
    if (!isNumber(value)) return undefined;
    const { text, tone } = formatStatus(value);
    return { text, tone, number: value === 0 ? WORST : value };
  },
  whole: (value) => (isNumber(value) ? formatStatus(value).text : undefined),
};

/** In a table, the reason says more than the outcome. */
const outcome: Writer = {
  short(value, _clock, entry) {
    if (typeof value !== "string") return undefined;
    const { text, mark, tone } = formatOutcome(value);
    const reason = reasonIn(entry);
    return { text: brief(reason === "" ? text : `${mark}${reason}`, TEXT), tone };
  },
  whole: (value) => (typeof value === "string" ? oneLine(formatOutcome(value).text) : undefined),
};

const ADDRESS = 48;
const TEXT = 40;

/** A URL without its scheme and, if long, its middle. */
export function briefAddress(address: string): string {
  const text = withoutScheme(address);
  return brief(text, ADDRESS, endOfAddress(text, ADDRESS)) || NOTHING;
}

/** The name of a channel, without the project: a key only lists the channels of one project. */
export const briefChannel = (id: string): string => brief(splitChannel(id).name, TEXT) || NOTHING;

/** A reason in words, without its details. */
export const briefReason = (reason: string): string => brief(reasonWordOf(reason), TEXT) || NOTHING;

/** An id without its middle: it can still be searched for. */
export const briefId = (id: string): string => brief(id, ID.longest, ID.atEnd);

/** Many ids start with their creation time: eight characters for the time and four to identify them. */
const ID = { longest: 13, atEnd: 4 };

const writers: { readonly [Kind in FieldContent]: Writer } = {
  time,
  status,
  milliseconds: number(formatDuration, (value) => withExact(formatDuration(value), `${formatCount(value)} ms`)),
  minutes: number(formatMinutes, (value) => withExact(formatMinutes(value), `${formatCount(value)} min`)),
  bytes: number(formatBytes, (value) => {
    return withExact(formatBytes(value), `${formatCount(value)} B`, `${formatCount(value)} bytes`);
  }),
  count: number(formatCount),
  channel: string(briefChannel, channelWords),
  id: string(briefId),
  address: string(briefAddress),
  outcome,
  reason: string(briefReason, reasonAndCode),
  text: string((text) => brief(text, TEXT)),
};

/** The exact value after the readable one, if they differ. */
function withExact(text: string, same: string, exact: string = same): string {
  return text === same ? text : `${text} (${exact})`;
}

/** A reason in words, with the value by which entries are found. */
function reasonAndCode(reason: string): string {
  const words = reasonWordOf(reason);
  return withExact(oneLine(words), oneLine(reason));
}

/** The outcome of a request. */
export type Tone = "good" | "notice" | "bad" | "plain";

/** An HTTP status with a mark that shows the outcome without colour; 0 means no response. */
export function formatStatus(status: number): { text: string; tone: Tone } {
  if (status === 0) return { text: "✗ no answer", tone: "bad" };
  if (status >= 500) return { text: `✗ ${status}`, tone: "bad" };
  if (status >= 400) return { text: `▲ ${status}`, tone: "bad" };
  if (status >= 300) return { text: `→ ${status}`, tone: "notice" };
  if (status >= 200) return { text: `✓ ${status}`, tone: "good" };
  return { text: String(status), tone: "plain" };
}

const outcomes = new Map<string, { mark: string; tone: Tone }>([
  ["ok", { mark: "✓ ", tone: "good" }],
  ["refused", { mark: "▲ ", tone: "bad" }],
  ["failed", { mark: "✗ ", tone: "bad" }],
]);

/** The outcome of an event, with its mark; an unknown one is unchanged. */
function formatOutcome(outcome: string): { text: string; mark: string; tone: Tone } {
  const { mark, tone } = outcomes.get(outcome) ?? { mark: "", tone: "plain" };
  return { text: `${mark}${outcome}`, mark, tone };
}

interface ChannelParts {
  name: string;
  /** Absent if the id names no project. */
  project?: string;
}

/** Splits `<channel name>@<project>` at the last `@`: a name may contain any character, a project's id no `@`. */
export function splitChannel(channelId: string): ChannelParts {
  const at = channelId.lastIndexOf("@");
  return at === -1 ? { name: channelId } : { name: channelId.slice(0, at), project: channelId.slice(at + 1) };
}

/** A channel for people: its name and its project. */
export function channelWords(channelId: string): string {
  const { name, project } = splitChannel(channelId);
  return project ? `${textOf(name)} (project ${oneLine(project)})` : textOf(name);
}

/** A URL without the scheme, which most URLs share. */
export const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, "");

/**
 * The number of characters to keep at the end of a URL that is cut to `longest`. Receivers differ in the start of the
 * host, the port, and the end of the path: a short path stays whole, with the port before it.
 */
export function endOfAddress(address: string, longest: number): number {
  const [host = ""] = address.split("/", 1);
  const port = /:\d{1,5}$/.exec(host)?.[0] ?? "";
  const tail = port.length + address.length - host.length;
  const room = longest - 1;
  // At least a third is left for the host.
  return tail > 0 && tail <= (room * 2) / 3 ? tail : Math.floor(room / 2);
}

const known = new Map<string, ReasonSpec>(Object.entries(reasons));

/** Whether clients are refused for a reason; the others are those of connections that were made. */
export const isRefusal = (reason: string): boolean => known.get(reason)?.isRefusal === true;

/** A reason in words, without its details. */
export const reasonWordOf = (reason: string): string => known.get(reason)?.words ?? reason;

/** What is said beyond a reason. */
export interface ReasonDetails {
  /** The media server's own word, which is shown if it says more than the reason. @default none */
  mediaReason?: string | undefined;
  /** What the reason leaves open, such as "5 of 5". @default nothing */
  detail?: string | undefined;
  /** When it happened, in ms since 1970: a time in the detail is given by its distance. @default it is left out */
  time?: number | undefined;
}

/**
 * A reason in words: "channel full (5 of 5)", "token expired (4 min earlier)", "ICE failed, ICE-RESTART". A reason that
 * is not known is shown unchanged.
 * The details are untrusted text, which is not escaped.
 */
export function reasonWords(reason: EventReason | undefined, details: ReasonDetails = {}): string {
  return wordsOf(reason, details) || "reason not known";
}

/** The same of an event log entry; empty if it has none. */
export function reasonIn(entry: unknown): string {
  const [reason, mediaReason, detail] = ["reason", "media_reason", "detail"].map((field) => textIn(entry, field));
  // The words for ordinary ends, such as NO-ERROR, explain nothing.
  if (reason === undefined && fieldOf(entry, "outcome") === "ok") return "";
  return wordsOf(reason, { mediaReason, detail, time: readTimestamp(fieldOf(entry, "timestamp")) });
}

function textIn(entry: unknown, field: string): string | undefined {
  const value = fieldOf(entry, field);
  return typeof value === "string" && value.trim() !== "" ? oneLine(value) : undefined;
}

function wordsOf(reason: string | undefined, { mediaReason, detail, time }: ReasonDetails): string {
  const own = reason === undefined ? "" : reasonWordOf(reason);
  const others = mediaReason && !isSame(mediaReason, [reason, own]) ? mediaReason : "";
  const what = reason === "other" && others ? others : [own, others].filter(Boolean).join(", ");
  const more = detail && detailWords(detail, time);
  return more ? `${what || "reason not known"} (${more})` : what;
}

/** "at" when a token expired, or it or its key was revoked, "from" when on a token is valid */
const MOMENT = /^(at|from) (\S+)$/;

/** Readers are in different zones, and care how long ago it was. */
function detailWords(detail: string, time: number | undefined): string {
  const [, word, moment] = MOMENT.exec(detail) ?? [];
  const named = readTimestamp(moment);
  if (named === undefined) return detail;
  const [from, until] = word === "at" ? [named, time] : [time, named];
  if (from === undefined || until === undefined || until - from < SECOND) return "";
  return `${formatDuration(until - from)} ${word === "at" ? "earlier" : "too early"}`;
}

/** Words that say nothing about a reason. */
const FILLERS = new Set(["by", "connection", "error", "the"]);

/** Whether the media server's word only repeats ours, as ICE-CONNECTION-TIMEOUT does. */
function isSame(mediaReason: string, ours: readonly (string | undefined)[]): boolean {
  const wordsIn = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const known = ours.flatMap((text) => wordsIn(text ?? ""));
  return wordsIn(mediaReason).every((word) => FILLERS.has(word) || known.some((one) => one.startsWith(word)));
}
