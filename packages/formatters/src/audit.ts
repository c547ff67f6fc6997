import type { AuditEntry } from "@media-ops/contract";
import { fieldOf, numberIn, stringIn, timeIn } from "@media-ops/reports/entries";
import {
  amountWords,
  briefText,
  type Listing,
  type ListingOptions,
  type Marks,
  markdownPrinter,
  markedCell,
  requesterCell,
  slackPrinter,
  tallyWords,
  terminalPrinter,
  textCell,
  timeCell,
} from "./lists.js";
import { capital } from "./logs.js";
import { answerFrame, lineText, type Phrase, type RequesterOptions } from "./values/answer.js";
import { formatCount } from "./values/numbers.js";
import { briefChannel, briefId, type Shown } from "./values/show.js";
import { type Clock, clockFor, formatAgo, type TimeOptions, textOf } from "./values/words.js";

/** An audit log in words; never throws, whatever its entries contain. */
function auditListing(entries: readonly AuditEntry[], options: ListingOptions): Listing<AuditEntry> {
  const { hasMore = false } = options;
  const frame = answerFrame(options, "Audit log");
  const { clock } = frame;
  return {
    ...frame,
    words: totalWords(entries, hasMore),
    columns: [
      { title: "Time", isTime: true, cell: (entry) => timeCell(timeIn(entry, "timestamp"), clock) },
      { title: "Who", cell: (entry) => whoCell(entry, options) },
      { title: "Action", isFixed: true, cell: (entry) => textCell(actionWords(entry)) },
      { title: "Outcome", isFixed: true, cell: outcomeCell },
      { title: "Subject", cell: (entry) => textCell(briefText(stringIn(entry, "subject"))) },
      { title: "Detail", cell: (entry) => textCell(briefText(stringIn(entry, "detail"))) },
    ],
    lineOf: (entry) => lineOf(entry, clock),
  };
}

/**
 * An audit entry in one line of plain text, which is not escaped: "14:03:22 (2 min ago) · ann revoked a token
 * 5f0c8a52…2c11".
 */
export function auditEntryWords(entry: AuditEntry, options: TimeOptions & RequesterOptions): string {
  const clock = clockFor(options);
  return lineText(lineOf(entry, clock), clock, options);
}

/** What was done, in the past and as an infinitive. */
type ActionWords = readonly [done: string, infinitive: string];

const actions = new Map<string, ActionWords>([
  ["token.revoke", ["revoked a token", "revoke a token"]],
  ["deliveries.resend", ["sent webhooks again", "send webhooks again"]],
  ["endpoint.enable", ["switched on an endpoint", "switch on an endpoint"]],
  ["media-api.DisconnectChannel", ["disconnected a channel", "disconnect a channel"]],
  ["media-api.DisconnectConnection", ["disconnected a connection", "disconnect a connection"]],
]);

const OPERATION = /^(media-api|operator)\.(.+)$/s;

/** What an action's words depend on. */
export type AuditAction = Pick<AuditEntry, "action" | "outcome" | "subject" | "requested_by">;

function wordsOf(entry: AuditAction): ActionWords | undefined {
  const action = stringIn(entry, "action");
  if (action === "token.revoke" && stringIn(entry, "subject").includes("@")) {
    return ["revoked a channel's tokens", "revoke a channel's tokens"];
  }
  const known = actions.get(action);
  if (known) return known;
  const [, where, what = ""] = OPERATION.exec(action) ?? [];
  if (where === "media-api") return [`called ${what} of the media server`, `call ${what} of the media server`];
  if (where !== "operator") return undefined;
  // Without a name, it is the operator who did it.
  const as = stringIn(entry, "requested_by") === "" ? "" : " as the operator";
  return [`ran ${what}${as}`, `run ${what}${as}`];
}

/**
 * The action of an audit entry in words: "revoked a token", or "tried to revoke a token" if it was not done. An unknown
 * action is unchanged. The words are plain text, which is not escaped.
 */
export function actionWords(entry: AuditAction): string {
  const words = wordsOf(entry);
  if (!words) return briefText(stringIn(entry, "action"));
  const [done, infinitive] = words;
  return briefText(stringIn(entry, "outcome") === "done" ? done : `tried to ${infinitive}`);
}

const outcomes: Marks = new Map([
  ["done", { mark: "✓ ", tone: "good" }],
  ["refused", { mark: "▲ ", tone: "bad" }],
  ["failed", { mark: "✗ ", tone: "bad" }],
]);

function outcomeCell(entry: AuditEntry): Shown {
  const { text, tone } = markedCell(stringIn(entry, "outcome"), outcomes);
  const count = numberIn(entry, "count");
  return textCell(`${text}${count > 1 ? ` ${formatCount(count)} times` : ""}`, tone);
}

/** Who did it, if no person or program is named: the operator, the API key, or the address. */
function unnamed(entry: unknown): string {
  const [key, address] = [stringIn(entry, "key_id"), stringIn(entry, "address")];
  if (stringIn(entry, "action").startsWith("operator.")) return "the operator";
  return key !== "" ? `key ${briefText(key)}` : address !== "" ? briefText(address) : "";
}

function whoCell(entry: AuditEntry, options: RequesterOptions): Shown {
  return stringIn(entry, "requested_by") === ""
    ? textCell(unnamed(entry))
    : requesterCell(entry, "requested_by", options);
}

function totalWords(entries: readonly unknown[], hasMore: boolean): string {
  if (entries.length === 0) return "No entries were found.";
  const amount = capital(amountWords(entries.length, hasMore, "entry", "entries"));
  return tallyWords(amount, entries, "outcome", ["refused", "failed"]);
}

function lineOf(entry: AuditEntry, clock: Clock): Phrase[] {
  const time = timeIn(entry, "timestamp");
  const [requestedBy, detail] = [stringIn(entry, "requested_by"), stringIn(entry, "detail")];
  const who: Phrase = requestedBy === "" ? [capital(unnamed(entry)) || "Someone"] : [{ person: requestedBy }];
  const subject = subjectName(entry);
  const isDone = stringIn(entry, "outcome") === "done";
  return [
    time === undefined
      ? [briefText(textOf(fieldOf(entry, "timestamp")))]
      : [{ time }, ` (${formatAgo(time, clock.now)})`],
    [...who, `${wordsOf(entry) ? "" : ":"} ${actionWords(entry)}`, ...(subject === "" ? [] : [" ", { name: subject }])],
    ...(isDone ? [] : [[outcomeCell(entry).text]]),
    ...(detail === "" ? [] : [[briefText(detail)]]),
  ];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** The name of a channel, a short id of a token, or the subject as it is. */
function subjectName(entry: unknown): string {
  const subject = stringIn(entry, "subject");
  if (subject === "") return "";
  if (UUID.test(subject)) return briefId(subject);
  return subject.includes("@") && !subject.includes(" ") ? briefChannel(subject) : briefText(subject);
}

/** Who changed what, in the given order. */
export const slackAudit = slackPrinter(auditListing);

/** Who changed what, one entry per line. */
export const terminalAudit = terminalPrinter(auditListing);

/** Who changed what, as a table. */
export const markdownAudit = markdownPrinter(auditListing);
