import type { Delivery } from "@media-ops/contract";
import { fieldOf, itemsIn, stringIn, timeIn } from "@media-ops/reports/entries";
import { capital } from "../logs/columns.js";
import { type Answer, type AnswerOptions, answerFrame } from "../values/answer.js";
import { counted } from "../values/numbers.js";
import { briefId, formatStatus, type Shown, type Tone } from "../values/show.js";
import { brief, NOTHING, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import {
  aheadCell,
  amountWords,
  briefText,
  isGiven,
  type Listing,
  type ListingColumn,
  type ListingOptions,
  lineText,
  type Marks,
  markedCell,
  type Phrase,
  tallyWords,
  textCell,
  timeCell,
  timeFact,
} from "./list.js";

/** Webhook deliveries in words; never throws, whatever they contain. */
export function deliveriesListing(deliveries: readonly Delivery[], options: ListingOptions): Listing<Delivery> {
  const { hasMore = false } = options;
  const frame = answerFrame(options, "Webhook deliveries");
  const { clock } = frame;
  const nextTry: ListingColumn<Delivery> = {
    title: "Next try",
    isTime: true,
    isOptional: true,
    cell: (delivery) => aheadCell(timeIn(delivery, "next_attempt_at"), clock, textCell("")),
  };
  return {
    ...frame,
    hasMore,
    words: totalWords(deliveries, hasMore),
    columns: [
      { title: "State", isFixed: true, cell: stateCell },
      { title: "Event", cell: (delivery) => textCell(briefText(stringIn(delivery, "type"))) },
      { title: "Received", isTime: true, cell: (delivery) => timeCell(timeIn(delivery, "created_at"), clock) },
      { title: "Attempts", isFixed: true, cell: (delivery) => textCell(attemptWords(delivery)) },
      { title: "Event id", cell: (delivery) => textCell(briefText(stringIn(delivery, "event_id"))) },
      ...(isGiven(deliveries, "next_attempt_at") ? [nextTry] : []),
      {
        title: "Delivery id",
        isOptional: true,
        cell: (delivery) => textCell(briefText(stringIn(delivery, "delivery_id"))),
      },
    ],
    lineOf: (delivery) => lineOf(delivery, clock),
    items: deliveries,
  };
}

/**
 * A delivery in one line of plain text, which is not escaped: "✗ failed · connection.created · 4 attempts, last 503 ·
 * received 2 h ago (12:03:22) · event 01KAKV0C…6Y4Z".
 */
export function deliveryWords(delivery: Delivery, options: TimeOptions): string {
  const clock = clockFor(options);
  return lineText(lineOf(delivery, clock), clock);
}

/**
 * What became of a delivery that was sent again, in a sentence of plain text; undefined while it has not been tried.
 *
 * @param before The delivery before it was sent again.
 */
export function resendOutcomeWords(before: Delivery, after: Delivery): string | undefined {
  // Only the newest attempts are kept, so that their number may stay the same.
  const [last, known] = [itemsIn(after, "attempts").at(-1), itemsIn(before, "attempts").at(-1)];
  if (last === undefined || stringIn(last, "timestamp") === stringIn(known, "timestamp")) return undefined;
  const status = fieldOf(last, "status");
  const answer = status === 0 ? "its receiver did not answer" : `its receiver answered ${textOf(status)}`;
  const state = stringIn(after, "state");
  if (state === "delivered") return `✓ Sent again and delivered: ${answer}.`;
  const next = state === "waiting" ? "It will be tried again." : "It will not be tried again.";
  return `▲ Sent again, but ${answer}. ${next}`;
}

/** An attempt in words. */
export interface AttemptWords {
  time: number | undefined;
  text: string;
  tone: Tone;
}

/** One delivery in words: its state in a sentence, its facts, and its attempts, oldest first. */
export interface DeliveryParts extends Answer {
  facts: readonly { title: string; text: string; time?: number | undefined }[];
  attempts: readonly AttemptWords[];
}

/** One delivery in words; never throws, whatever it contains. */
export function deliveryParts(delivery: Delivery, options: AnswerOptions): DeliveryParts {
  const text = (field: string): string => textOf(fieldOf(delivery, field));
  const time = (title: string, field: string) => {
    const given = fieldOf(delivery, field);
    return given === undefined ? [] : [{ title, text: textOf(given), time: timeIn(delivery, field) }];
  };
  const fault = stringIn(delivery, "fault");
  const { text: state, tone } = stateCell(delivery);
  return {
    ...answerFrame(options, "Webhook delivery"),
    words: `${state}: ${briefText(stringIn(delivery, "type"))}, ${attemptWords(delivery)}.`,
    tone,
    facts: [
      { title: "Event", text: text("type") },
      { title: "Event id", text: text("event_id") },
      { title: "Delivery id", text: text("delivery_id") },
      ...time("Received", "created_at"),
      ...time("Next try", "next_attempt_at"),
      ...time(stringIn(delivery, "state") === "failed" ? "Given up" : "Ended", "ended_at"),
      ...(fault === "" ? [] : [{ title: "Fault", text: textOf(fault) }]),
    ],
    attempts: itemsIn(delivery, "attempts").map((attempt) => {
      return { time: timeIn(attempt, "timestamp"), ...statusOf(attempt) };
    }),
  };
}

function statusOf(attempt: unknown): { text: string; tone: Tone } {
  const status = fieldOf(attempt, "status");
  return typeof status === "number" ? formatStatus(status) : { text: briefText(textOf(status)), tone: "plain" };
}

const states: Marks = new Map([
  ["delivered", { mark: "✓ ", tone: "good" }],
  ["waiting", { mark: "→ ", tone: "notice" }],
  ["failed", { mark: "✗ ", tone: "bad" }],
]);

const stateCell = (delivery: Delivery): Shown => markedCell(stringIn(delivery, "state"), states);

/** "12 deliveries: 3 failed, 2 waiting, 7 delivered." */
function totalWords(deliveries: readonly unknown[], hasMore: boolean): string {
  if (deliveries.length === 0) return "No deliveries were found.";
  const amount = capital(amountWords(deliveries.length, hasMore, "delivery", "deliveries"));
  return tallyWords(amount, deliveries, "state", ["failed", "waiting", "delivered"]);
}

/** "4 attempts, last 503", "1 attempt, no answer", "no attempt yet" */
function attemptWords(delivery: unknown): string {
  const attempts = itemsIn(delivery, "attempts");
  const last = attempts.at(-1);
  if (last === undefined) return "no attempt yet";
  const status = fieldOf(last, "status");
  const answer = status === 0 ? "no answer" : brief(textOf(status), STATUS);
  return `${counted(attempts.length, "attempt", "attempts")}, ${attempts.length === 1 ? "" : "last "}${answer}`;
}

/** Longer than any status. */
const STATUS = 12;

/** A sentence or two. */
const FAULT = 160;

function lineOf(delivery: Delivery, clock: Clock): Phrase[] {
  const [received, next] = [timeIn(delivery, "created_at"), timeIn(delivery, "next_attempt_at")];
  const fault = stringIn(delivery, "fault");
  const event = stringIn(delivery, "event_id");
  return [
    [stateCell(delivery).text],
    [{ name: briefText(stringIn(delivery, "type")) }],
    [attemptWords(delivery)],
    ...(fault === "" ? [] : [[brief(fault, FAULT)]]),
    ...(next === undefined ? [] : [next <= clock.now ? ["next try due now"] : timeFact("next try", next, clock)]),
    ...(received === undefined ? [] : [timeFact("received", received, clock)]),
    ["event ", { name: event === "" ? NOTHING : briefId(event) }],
  ];
}
