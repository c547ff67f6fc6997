import { type EventReason, type ReasonSpec, reasons } from "@media-ops/contract";
import { fieldOf, millisecondsOf, SECOND } from "@media-ops/reports/entries";
import { formatDuration } from "./numbers.js";
import { oneLine } from "./text.js";

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
  return wordsOf(reason, { mediaReason, detail, time: millisecondsOf(fieldOf(entry, "timestamp")) });
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
  const named = millisecondsOf(moment);
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
