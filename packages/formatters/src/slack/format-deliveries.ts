import type { Delivery } from "@media-ops/sdk";
import type { RichTextElement } from "@slack/types";
import { type AttemptWords, type DeliveryOptions, deliveriesListing, deliveryParts } from "../deliveries.js";
import { counted } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { type Clock, formatAgo } from "../values/time.js";
import { listingMessage, plainOptions, type SlackListingMessage, type SlackListingOptions } from "./format-listing.js";
import {
  answerMessage,
  bold,
  bulletList,
  date,
  exact,
  fit,
  formatFor,
  isWritable,
  piece,
  type SlackMessage,
  titleOf,
} from "./parts.js";

/** Webhook deliveries, each with its state and attempts. */
export const formatDeliveries = (
  deliveries: readonly Delivery[],
  options: SlackListingOptions<Delivery>,
): SlackListingMessage => listingMessage(deliveriesListing(deliveries, plainOptions(options)), options);

/** The longest fact. */
const FACT = 1000;
/** More attempts than a delivery has in its usual time. */
const ATTEMPTS = 50;

/** One delivery with its attempts, for a message or a modal. */
export function formatDelivery(delivery: Delivery, options: DeliveryOptions): SlackMessage {
  const { clock, words, facts, attempts, ...parts } = deliveryParts(delivery, options);
  const title = titleOf(parts.title, "Webhook delivery");
  const shown = attempts.slice(-ATTEMPTS);
  const omitted = attempts.length - shown.length;
  const blocks = [
    bulletList(
      facts.map(({ title, text, time }) => [
        bold(`${title}: `),
        ...(time === undefined ? [exact(fit(text, FACT))] : timeElements(time, clock)),
      ]),
    ),
    ...(shown.length === 0 ? [] : [bulletList(shown.map((attempt) => attemptElements(attempt, clock)))]),
  ];
  const older = omitted === 0 ? "" : `${counted(omitted, "older attempt is", "older attempts are")} not shown.`;
  return answerMessage({ title, words }, blocks, [older]);
}

function timeElements(time: number | undefined, clock: Clock): RichTextElement[] {
  if (time === undefined) return [piece(NOTHING)];
  if (!isWritable(time)) return [piece(clock.short(time))];
  // Slack's own relative time is for the past.
  if (time <= clock.now) return [date(time, formatFor([time], clock.now))];
  return [date(time, "{date_short_pretty} {time_secs}"), piece(` · ${formatAgo(time, clock.now)}`)];
}

const attemptElements = ({ time, text }: AttemptWords, clock: Clock): RichTextElement[] => [
  ...timeElements(time, clock),
  piece(` · ${text}`),
];
