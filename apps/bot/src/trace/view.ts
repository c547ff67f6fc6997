import type { TraceRequest, TraceSubject } from "@media-ops/reports";
import { parseTimestamp } from "@media-ops/sdk";
import type { CommandNamed } from "../language.js";
import type { Request } from "../request.js";
import { readSaved, type SavedCommand, writeSaved } from "../saved-command.js";
import { Refused } from "../slack/blocks.js";

/** A page of a trace, other than its newest lines. */
export type TracePage = Pick<TraceRequest, "order" | "skip"> & {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** A trace that can be shown again at any time: the whole state of a control. */
export interface TraceView {
  /** The command with its project. */
  readonly command: CommandNamed<"trace">;
  /** @default the newest lines */
  readonly page?: TracePage | undefined;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** What led to this trace: see `wayBack`. */
  readonly back?: string | undefined;
}

/** Serializes a view for {@link readTraceView}. */
export const savedTrace = ({ page, ...view }: TraceView): SavedCommand => ({ ...view, view: writePage(page) });

/** A view as the value of a control; undefined if it is too long. The way back is dropped first. */
export const writeTraceView = (view: TraceView, longest?: number): string | undefined =>
  writeSaved(savedTrace(view), longest);

/** Parses the output of {@link writeTraceView}; undefined for any other text. "Last 2 hours" are those before now. */
export function readTraceView(text: string, now: number): TraceView | undefined {
  const { view = "", command, periodMs, back } = readSaved(text, now) ?? {};
  const page = view === NEWEST ? undefined : readPage(view);
  if (command?.name !== "trace" || (view !== NEWEST && !page)) return undefined;
  const isAnew = !page && periodMs !== undefined;
  return { command: isAnew ? { ...command, since: now - periodMs } : command, page, periodMs, back };
}

/**
 * The view that a control contains.
 *
 * @throws {Refused} if it can't be parsed: a message may be older than the bot.
 */
export function traceViewIn(value: string, { now, prefix }: Pick<Request, "now" | "prefix">): TraceView {
  const view = readTraceView(value, now());
  if (!view) throw new Refused(`This message is too old to use. ${prefix} trace shows a new one.`);
  return view;
}

/** The page that a request of the client means. */
export function pageIn({ order, skip, since, until }: TraceRequest): TracePage {
  return { order, skip, since: timeText(since), until: timeText(until) };
}

const timeText = (time: string | Date | undefined): string | undefined =>
  time instanceof Date ? time.toISOString() : time;

const NEWEST = "new";
const DIGITS = String.raw`-|\d{14}(?:\.\d{1,60})?`;
const PAGE = new RegExp(`^([no]),(${DIGITS}),(${DIGITS}),(\\d{1,4})$`);

/** A page in few characters: the options of a menu have room for only some. */
function writePage(page: TracePage | undefined): string {
  if (!page) return NEWEST;
  const { order, since, until, skip = 0 } = page;
  return [order === "oldest" ? "o" : "n", pack(since), pack(until), skip].join(",");
}

function readPage(word: string): TracePage | undefined {
  const [, order, since = "", until = "", skip] = PAGE.exec(word) ?? [];
  if (order === undefined) return undefined;
  const times = { since: unpack(since), until: unpack(until) };
  const isValid = Object.values(times).every((time) => time === undefined || parseTimestamp(time));
  return isValid ? { order: order === "o" ? "oldest" : "newest", skip: Number(skip), ...times } : undefined;
}

/** The digits of a time in UTC, all of them. */
const pack = (time: string | undefined): string => time?.replaceAll(/[-:TZ]/g, "") ?? "-";

function unpack(digits: string): string | undefined {
  if (digits === "-") return undefined;
  return digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6").concat("Z");
}

/** What a trace can be about. */
export interface Subject {
  readonly is: TraceSubject;
  readonly what: string;
}

/** What an entry is about, the most specific first. */
export function subjectsIn(entry: object): Subject[] {
  const fields = new Map(Object.entries(entry));
  return subjectFields.flatMap(([is, field]) => {
    const what: unknown = fields.get(field);
    return typeof what === "string" && what.trim() !== "" ? [{ is, what }] : [];
  });
}

const subjectFields: readonly (readonly [is: TraceSubject, field: string])[] = [
  ["connection", "connection_id"],
  ["session", "session_id"],
  ["client", "client_id"],
  ["bundle", "bundle_id"],
  ["channel", "channel_id"],
];

/** What a field of an entry names; undefined for all other fields. */
export const subjectOf = (field: string): TraceSubject | undefined =>
  subjectFields.find(([, name]) => name === field)?.[0];

/**
 * The trace of something that an entry names. What exists for long is shown from a time on.
 *
 * @param at the entry's timestamp.
 */
export function traceOf({ is, what }: Subject, project: string, at: string | undefined): TraceView {
  const command = { name: "trace", what, is, in: project } as const;
  const time = parseTimestamp(at ?? "");
  if (is === "connection" || is === "session" || !time) return { command };
  return { command, page: { order: "oldest", since: new Date(time.epochMilliseconds).toISOString() } };
}
