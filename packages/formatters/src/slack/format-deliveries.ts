import type { Delivery } from "@media-ops/sdk";
import type { RichTextElement } from "@slack/types";
import { type AttemptWords, deliveriesListing, deliveryParts } from "../deliveries.js";
import { counted } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { type Clock, formatAgo, type TimeOptions } from "../values/time.js";
import { listingMessage, plainOptions, type SlackListingMessage, type SlackListingOptions } from "./format-listing.js";
import {
  bold,
  bulletList,
  context,
  date,
  exact,
  fit,
  formatFor,
  headingBlock,
  isWritable,
  notification,
  piece,
  type SlackMessage,
  titleOf,
} from "./parts.js";

/**
 * Webhook deliveries, each with its state and attempts.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatDeliveries = (
  deliveries: readonly Delivery[],
  options: SlackListingOptions<Delivery>,
): SlackListingMessage => listingMessage(deliveriesListing(deliveries, plainOptions(options)), options);

/** Options of one delivery. */
export interface SlackDeliveryOptions extends TimeOptions {
  /** The title. @default "Webhook delivery" */
  title?: string | undefined;
}

/** The longest fact. */
const FACT = 1000;
/** More attempts than a delivery has in its usual time. */
const ATTEMPTS = 50;

/**
 * One delivery with its attempts, for a message or a modal.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatDelivery(delivery: Delivery, options: SlackDeliveryOptions): SlackMessage {
  const { clock, words, facts, attempts, ...parts } = deliveryParts(delivery, options);
  const title = titleOf(parts.title, "Webhook delivery");
  const shown = attempts.slice(-ATTEMPTS);
  const omitted = attempts.length - shown.length;
  return {
    blocks: [
      headingBlock({ incomplete: "", title, words }),
      bulletList(
        facts.map(({ title, text, time }) => [
          bold(`${title}: `),
          ...(time === undefined ? [exact(fit(text, FACT))] : timeElements(time, clock)),
        ]),
      ),
      ...(shown.length === 0 ? [] : [bulletList(shown.map((attempt) => attemptElements(attempt, clock)))]),
      ...(omitted === 0 ? [] : [context(`${counted(omitted, "older attempt is", "older attempts are")} not shown.`)]),
    ],
    text: notification(title, words),
  };
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
