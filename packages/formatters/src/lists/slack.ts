import type { Delivery, ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/contract";
import type { Button, RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  date,
  exact,
  fit,
  isWritable,
  LINES_CHARACTERS,
  lineMrkdwn,
  mrkdwn,
  notification,
  phraseElements,
  piece,
  plainText,
  richText,
  type SlackBlock,
  type SlackMessage,
  type SlackRequesterOptions,
  TEXT,
  timeElement,
} from "../slack/parts.js";
import type { AnswerOptions } from "../values/answer.js";
import { counted } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "../values/time.js";
import { auditListing } from "./audit.js";
import { type Listing, type ListingOf, type ListingOptions, lineText, moreWords, phraseText } from "./list.js";
import { type ActWords, enabledPhrase, issuedTokens, resentPhrase, revokedPhrase } from "./tokens.js";
import { deliveriesListing, deliveryParts, endpointsListing } from "./webhooks.js";

/** The options of a list of tokens, deliveries, endpoints or audit entries in Slack. */
export interface SlackListingOptions<Item> extends Omit<ListingOptions, "nameOf">, SlackRequesterOptions {
  /** The maximum number of items to show, from 1 to 40; with buttons, at most 22 fit. @default 20 */
  atMost?: number | undefined;
  /** Makes the button below an item, such as "Revoke"; each needs its own action id. @default no item has one */
  button?: ((item: Item) => Button | undefined) | undefined;
}

/** A message with a list. */
export interface SlackListingMessage extends SlackMessage {
  /** The number of items that it shows. */
  shown: number;
}

/** A message has at most 50 blocks, of which the caller, the heading and the note need some. */
const BLOCKS = 44;
const MOST = 40;
const USUAL = 20;

/** Prints a list as a message: what it has, a section for each item, and how many are not shown. */
function printer<Item>(listingOf: ListingOf<Item>) {
  return (items: readonly Item[], options: SlackListingOptions<Item>): SlackListingMessage => {
    const { nameOf: _, ...plain } = options;
    const listing = listingOf(items, plain);
    const { blocks, shown } = itemsOf(listing, options);
    return { ...answerMessage(listing, blocks, moreWords(items.length - shown, listing.hasMore)), shown };
  };
}

/** As many items as fit, each in a section, with its button below. */
function itemsOf<Item>({ items, lineOf, clock }: Listing<Item>, options: SlackListingOptions<Item>) {
  const atMost = Math.min(Math.max(Math.floor(options.atMost ?? USUAL) || 1, 1), MOST);
  const blocks: SlackBlock[] = [];
  let [room, shown] = [LINES_CHARACTERS, 0];
  for (const item of items.slice(0, atMost)) {
    const line = lineOf(item);
    const marked = lineMrkdwn(line, clock, options);
    // Escapes may make a text of strange characters much longer.
    const text = marked.length <= TEXT ? mrkdwn(marked) : plainText(lineText(line, clock));
    const button = options.button?.(item);
    room -= text.text.length;
    if (room < 0 || blocks.length + (button ? 2 : 1) > BLOCKS) break;
    blocks.push({ type: "section", text });
    if (button) blocks.push({ type: "actions", elements: [button] });
    shown += 1;
  }
  return { blocks, shown };
}

/** Issued tokens, each with its limits, how long it lasts, and who requested it. */
export const formatTokens = printer(issuedTokens);

/** Webhook deliveries, each with its state and attempts. */
export const formatDeliveries = printer(deliveriesListing);

/** Webhook endpoints, each with its state. */
export const formatEndpoints = printer(endpointsListing);

/** Who changed what, in the given order. */
export const formatAudit = printer(auditListing);

/** The longest fact. */
const FACT = 1000;
/** More attempts than a delivery has in its usual time. */
const ATTEMPTS = 50;

/** One delivery with its attempts, for a message or a modal. */
export function formatDelivery(delivery: Delivery, options: AnswerOptions): SlackMessage {
  const { facts, attempts, ...parts } = deliveryParts(delivery, options);
  const omitted = Math.max(attempts.length - ATTEMPTS, 0);
  const lists = [
    facts.map(({ title, text, time }) => [
      bold(`${title}: `),
      ...(time === undefined ? [exact(fit(text, FACT))] : timeElements(time, parts.clock)),
    ]),
    attempts.slice(-ATTEMPTS).map(({ time, text }) => [...timeElements(time, parts.clock), piece(` · ${text}`)]),
  ];
  const older = omitted === 0 ? "" : `${counted(omitted, "older attempt is", "older attempts are")} not shown.`;
  return answerMessage(parts, lists.filter(({ length }) => length > 0).map(bulletList), older);
}

function timeElements(time: number | undefined, clock: Clock): RichTextElement[] {
  if (time === undefined) return [piece(NOTHING)];
  // Slack's own relative time is for the past.
  if (!isWritable(time) || time <= clock.now) return [timeElement(time, clock)];
  return [date(time, "{date_short_pretty} {time_secs}"), piece(` · ${formatAgo(time, clock.now)}`)];
}

function actMessage({ phrase }: ActWords, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  return { blocks: [richText(...phraseElements(phrase, clock))], text: notification(phraseText(phrase, clock)) };
}

/** What was revoked, from when on it holds, and what became of the connections. */
export const formatRevoked = (revoked: RevokedTokens, options: TimeOptions): SlackMessage =>
  actMessage(revokedPhrase(revoked, clockFor(options)), options);

/** How many webhooks are sent again. */
export const formatResent = (resent: ResentDeliveries, options: TimeOptions): SlackMessage =>
  actMessage(resentPhrase(resent), options);

/** That an endpoint is switched on. */
export const formatEnabled = (endpoint: WebhookEndpoint, options: TimeOptions): SlackMessage =>
  actMessage(enabledPhrase(endpoint), options);
