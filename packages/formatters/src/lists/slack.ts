import type {
  AuditEntry,
  Delivery,
  IssuedToken,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import type { Button, RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  date,
  exact,
  fit,
  formatFor,
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
  titleOf,
} from "../slack/parts.js";
import { counted } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { type Clock, clockFor, formatAgo, type TimeOptions } from "../values/time.js";
import { type ActWords, enabledPhrase, resentPhrase, revokedPhrase } from "./acts.js";
import { auditListing } from "./audit.js";
import { type AttemptWords, type DeliveryOptions, deliveriesListing, deliveryParts } from "./deliveries.js";
import { endpointsListing } from "./endpoints.js";
import { type Listing, type ListingOptions, lineText, moreWords, phraseText } from "./list.js";
import { issuedTokens } from "./tokens.js";

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

/** The listing's options without those that only Slack has. */
const plainOptions = <Item>({ nameOf: _, atMost: __, button: ___, ...options }: SlackListingOptions<Item>) => options;

/** A list as a message: what it has, a section for each item, and how many are not shown. */
function listingMessage<Item>(listing: Listing<Item>, options: SlackListingOptions<Item>): SlackListingMessage {
  const { words, items, hasMore, note } = listing;
  const title = titleOf(listing.title, "List");
  const { blocks, shown } = itemsOf(listing, options);
  const small = [moreWords(items.length - shown, hasMore), note];
  return { ...answerMessage({ title, words }, blocks, small), shown };
}

/** As many items as fit, each in a section, with its button below. */
function itemsOf<Item>(
  { items, lineOf, clock }: Listing<Item>,
  options: SlackListingOptions<Item>,
): { blocks: SlackBlock[]; shown: number } {
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

/** The access tokens that are out, each with its limits, how long it lasts, and who requested it. */
export const formatTokens = (
  tokens: readonly IssuedToken[],
  options: SlackListingOptions<IssuedToken>,
): SlackListingMessage => listingMessage(issuedTokens(tokens, plainOptions(options)), options);

/** Webhook endpoints, each with its state. */
export const formatEndpoints = (
  endpoints: readonly WebhookEndpoint[],
  options: SlackListingOptions<WebhookEndpoint>,
): SlackListingMessage => listingMessage(endpointsListing(endpoints, plainOptions(options)), options);

/** Who changed what, in the given order. */
export const formatAudit = (
  entries: readonly AuditEntry[],
  options: SlackListingOptions<AuditEntry>,
): SlackListingMessage => listingMessage(auditListing(entries, plainOptions(options)), options);

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

function actMessage({ phrase }: ActWords, clock: Clock): SlackMessage {
  return { blocks: [richText(...phraseElements(phrase, clock))], text: notification(phraseText(phrase, clock)) };
}

/** What was revoked, from when on it holds, and what became of the connections. */
export function formatRevoked(revoked: RevokedTokens, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  return actMessage(revokedPhrase(revoked, clock), clock);
}

/** How many webhooks are sent again. */
export const formatResent = (resent: ResentDeliveries, options: TimeOptions): SlackMessage =>
  actMessage(resentPhrase(resent), clockFor(options));

/** That an endpoint is switched on. */
export const formatEnabled = (endpoint: WebhookEndpoint, options: TimeOptions): SlackMessage =>
  actMessage(enabledPhrase(endpoint), clockFor(options));
