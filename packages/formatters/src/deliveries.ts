import type { Delivery, WebhookEndpoint } from "@media-ops/contract";
import { fieldOf, itemsIn, numberIn, SECOND, stringIn, timeIn } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import {
  aheadCell,
  amountWords,
  briefText,
  isGiven,
  type Listing,
  type ListingColumn,
  type ListingOptions,
  type Marks,
  markdownPrinter,
  markedCell,
  sinceFact,
  slackPrinter,
  tallyWords,
  terminalPrinter,
  textCell,
  timeCell,
  timeFact,
} from "./lists.js";
import { capital } from "./logs.js";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { type AnswerOptions, answerFrame, type Fact, lineText, type Phrase } from "./values/answer.js";
import { counted, formatCount } from "./values/numbers.js";
import { briefAddress, briefId, formatStatus, type Shown, type Tone } from "./values/show.js";
import { brief, type Clock, clockFor, formatAgo, NOTHING, type TimeOptions, textOf } from "./values/words.js";

/** Webhook endpoints in words; never throws, whatever they contain. */
export function endpointsListing(
  endpoints: readonly WebhookEndpoint[],
  options: ListingOptions,
): Listing<WebhookEndpoint> {
  const frame = answerFrame(options, "Webhook endpoints");
  const { clock } = frame;
  const isTroubled = endpoints.some((endpoint) => sinceOf(endpoint) !== undefined);
  const since: ListingColumn<WebhookEndpoint> = {
    title: "Since",
    isTime: true,
    cell: (endpoint) => timeCell(sinceOf(endpoint), clock),
  };
  return {
    ...frame,
    words: endpointTotals(endpoints),
    columns: [
      { title: "Kind", cell: (endpoint) => textCell(briefText(stringIn(endpoint, "kind"))) },
      { title: "State", isFixed: true, cell: endpointState },
      ...(isTroubled ? [since] : []),
      ...(isGiven(endpoints, "waiting") ? [{ title: "Waiting", cell: waitingCell }] : []),
      { title: "URL", isAddress: true, cell: (endpoint) => textCell(briefAddress(stringIn(endpoint, "url"))) },
      ...(isGiven(endpoints, "off_reason") ? [{ title: "Reason", cell: reasonCell }] : []),
    ],
    lineOf: (endpoint) => endpointLine(endpoint, clock),
  };
}

const endpointStates: Marks = new Map([
  ["ok", { mark: "✓ ", tone: "good" }],
  ["failing", { mark: "▲ ", tone: "bad" }],
  ["off", { mark: "✗ ", tone: "bad" }],
]);

const endpointState = (endpoint: WebhookEndpoint): Shown => markedCell(stringIn(endpoint, "state"), endpointStates);

function sinceOf(endpoint: unknown): number | undefined {
  const state = stringIn(endpoint, "state");
  return state === "off"
    ? timeIn(endpoint, "off_since")
    : state === "failing"
      ? timeIn(endpoint, "failing_since")
      : undefined;
}

function waitingCell(endpoint: WebhookEndpoint): Shown {
  if (fieldOf(endpoint, "waiting") === undefined) return textCell("");
  const waiting = numberIn(endpoint, "waiting");
  return { text: formatCount(waiting), tone: "plain", number: waiting };
}

const reasonCell = (endpoint: WebhookEndpoint): Shown => textCell(briefText(stringIn(endpoint, "off_reason")));

function endpointTotals(endpoints: readonly unknown[]): string {
  if (endpoints.length === 0) return "The project has no webhook endpoint.";
  const amount = counted(endpoints.length, "webhook endpoint", "webhook endpoints");
  return tallyWords(amount, endpoints, "state", ["off", "failing", "ok"]);
}

function endpointLine(endpoint: WebhookEndpoint, clock: Clock): Phrase[] {
  const { text: state } = endpointState(endpoint);
  const [since, reason, waiting] = [sinceOf(endpoint), stringIn(endpoint, "off_reason"), numberIn(endpoint, "waiting")];
  const url = stringIn(endpoint, "url");
  return [
    [`${briefText(stringIn(endpoint, "kind"))} webhook`],
    [{ name: url === "" ? NOTHING : briefAddress(url) }],
    since === undefined ? [state] : sinceFact(state, since, clock),
    ...(reason === "" ? [] : [[briefText(reason)]]),
    ...(waiting === 0 ? [] : [[counted(waiting, "event waits", "events wait")]]),
  ];
}

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
    words: deliveryTotals(deliveries, hasMore),
    columns: [
      { title: "State", isFixed: true, cell: deliveryState },
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
    lineOf: (delivery) => deliveryLine(delivery, clock),
  };
}

/**
 * A delivery in one line of plain text, which is not escaped: "✗ failed · connection.created · 4 attempts, last 503 ·
 * received 2 h ago (12:03:22) · event 01KAKV0C…6Y4Z".
 */
export function deliveryWords(delivery: Delivery, options: TimeOptions): string {
  const clock = clockFor(options);
  return lineText(deliveryLine(delivery, clock), clock);
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
  const answer = status === 0 ? "the receiver did not answer" : `the receiver answered ${textOf(status)}`;
  const state = stringIn(after, "state");
  if (state === "delivered") return `✓ Resent and delivered: ${answer}.`;
  const next = state === "waiting" ? "It will be retried." : "It will not be retried.";
  return `▲ Resent, but ${answer}. ${next}`;
}

/** One delivery in words: its state in a sentence, facts, and attempts, oldest first; never throws, whatever it contains. */
function deliveryParts(delivery: Delivery, options: AnswerOptions) {
  const text = (field: string): string => textOf(fieldOf(delivery, field));
  const time = (title: string, field: string): Fact[] => {
    const given = fieldOf(delivery, field);
    return given === undefined ? [] : [{ title, text: textOf(given), time: timeIn(delivery, field) }];
  };
  const fault = stringIn(delivery, "fault");
  const { text: state, tone } = deliveryState(delivery);
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
    ] satisfies Fact[] as readonly Fact[],
    attempts: itemsIn(delivery, "attempts").map((attempt) => {
      return { time: timeIn(attempt, "timestamp"), ...statusOf(attempt) };
    }),
  };
}

function statusOf(attempt: unknown): { text: string; tone: Tone } {
  const status = fieldOf(attempt, "status");
  return typeof status === "number" ? formatStatus(status) : { text: briefText(textOf(status)), tone: "plain" };
}

const deliveryStates: Marks = new Map([
  ["delivered", { mark: "✓ ", tone: "good" }],
  ["waiting", { mark: "→ ", tone: "notice" }],
  ["failed", { mark: "✗ ", tone: "bad" }],
]);

const deliveryState = (delivery: Delivery): Shown => markedCell(stringIn(delivery, "state"), deliveryStates);

function deliveryTotals(deliveries: readonly unknown[], hasMore: boolean): string {
  if (deliveries.length === 0) return "No deliveries were found.";
  const amount = capital(amountWords(deliveries.length, hasMore, "delivery", "deliveries"));
  return tallyWords(amount, deliveries, "state", ["failed", "waiting", "delivered"]);
}

function attemptWords(delivery: unknown): string {
  const attempts = itemsIn(delivery, "attempts");
  const last = attempts.at(-1);
  if (last === undefined) return "no attempt yet";
  const status = fieldOf(last, "status");
  const answer = status === 0 ? "no answer" : brief(textOf(status), STATUS);
  return `${counted(attempts.length, "attempt", "attempts")}, ${attempts.length === 1 ? "" : "last "}${answer}`;
}

const STATUS = 12;

const FAULT = 160;

function deliveryLine(delivery: Delivery, clock: Clock): Phrase[] {
  const [received, next] = [timeIn(delivery, "created_at"), timeIn(delivery, "next_attempt_at")];
  const fault = stringIn(delivery, "fault");
  const event = stringIn(delivery, "event_id");
  return [
    [deliveryState(delivery).text],
    [{ name: briefText(stringIn(delivery, "type")) }],
    [attemptWords(delivery)],
    ...(fault === "" ? [] : [[brief(fault, FAULT)]]),
    ...(next === undefined ? [] : [next <= clock.now ? ["next try due now"] : timeFact("next try", next, clock)]),
    ...(received === undefined ? [] : [timeFact("received", received, clock)]),
    ["event ", { name: event === "" ? NOTHING : briefId(event) }],
  ];
}

/** Webhook endpoints, each with its state. */
export const slackEndpoints = slackPrinter(endpointsListing);

/** Webhook endpoints, one per line. */
export const terminalEndpoints = terminalPrinter(endpointsListing);

/** Webhook endpoints, as a table. */
export const markdownEndpoints = markdownPrinter(endpointsListing);

/** Webhook deliveries, each with its state and attempts. */
export const slackDeliveries = slackPrinter(deliveriesListing);

/** Webhook deliveries, one per line. */
export const terminalDeliveries = terminalPrinter(deliveriesListing);

/** Webhook deliveries, as a table. */
export const markdownDeliveries = markdownPrinter(deliveriesListing);

const FACT = 1000;
/** More attempts than a delivery has in its usual time. */
const ATTEMPTS = 50;

/** One delivery with its attempts, for a message or a modal. */
export function slackDelivery(delivery: Delivery, options: AnswerOptions): slack.SlackMessage {
  const { facts, attempts, ...parts } = deliveryParts(delivery, options);
  const omitted = Math.max(attempts.length - ATTEMPTS, 0);
  const lists = [
    facts.map(({ title, text, time }) => [
      slack.bold(`${title}: `),
      ...(time === undefined ? [slack.exact(slack.fit(text, FACT))] : timeElements(time, parts.clock)),
    ]),
    attempts.slice(-ATTEMPTS).map(({ time, text }) => [...timeElements(time, parts.clock), slack.piece(` · ${text}`)]),
  ];
  const older = omitted === 0 ? "" : `${counted(omitted, "older attempt is", "older attempts are")} not shown.`;
  return slack.answerMessage(parts, lists.filter(({ length }) => length > 0).map(slack.bulletList), older);
}

function timeElements(time: number | undefined, clock: Clock): RichTextElement[] {
  if (time === undefined) return [slack.piece(NOTHING)];
  // Slack's own relative time is for the past, and for an answer that came while this was asked.
  if (!slack.isWritable(time) || time < clock.now + SECOND) return [slack.timeElement(time, clock)];
  return [slack.date(time, "{date_short_pretty} {time_secs}"), slack.piece(` · ${formatAgo(time, clock.now)}`)];
}

/** The facts and the attempts in one list, with times as a printer writes them. */
function factsIn({ facts, attempts }: ReturnType<typeof deliveryParts>, timed: (time: number) => string) {
  return [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : timed(time) })),
    ...attempts.map(({ time, text, tone }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : timed(time)}`,
      style: tone,
    })),
  ];
}

/** One delivery with its attempts. */
export function terminalDelivery(delivery: Delivery, options: AnswerOptions & terminal.TerminalScreenOptions): string {
  const screen = terminal.screenOf(options);
  const parts = deliveryParts(delivery, options);
  const { zoned, now } = parts.clock;
  const facts = factsIn(parts, (time) => `${zoned(time)} · ${formatAgo(time, now)}`);
  return terminal.answerText(parts, ["", ...terminal.factLines(facts, screen)], screen);
}

/** One delivery with its attempts, as a table. */
export function markdownDelivery(delivery: Delivery, options: AnswerOptions): string {
  const parts = deliveryParts(delivery, options);
  return markdown.answerText(parts, ["", ...markdown.factLines("Field", factsIn(parts, parts.clock.zoned))]);
}
