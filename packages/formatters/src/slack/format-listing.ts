import type { AuditEntry, IssuedToken, WebhookEndpoint } from "@media-ops/sdk";
import type { Button } from "@slack/types";
import { auditListing } from "../audit.js";
import { endpointsListing } from "../endpoints.js";
import { issuedTokens } from "../issued-tokens.js";
import { type Listing, type ListingOptions, moreWords } from "../listing.js";
import { lineText } from "../phrase.js";
import {
  answerMessage,
  LINES_CHARACTERS,
  mrkdwn,
  plainText,
  type SlackBlock,
  type SlackMessage,
  TEXT,
  titleOf,
} from "./parts.js";
import { lineMrkdwn, type SlackRequesterOptions } from "./phrase-parts.js";

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
export const plainOptions = <Item>({ nameOf: _, atMost: __, button: ___, ...options }: SlackListingOptions<Item>) =>
  options;

/** A list as a message: what it has, a section for each item, and how many are not shown. */
export function listingMessage<Item>(listing: Listing<Item>, options: SlackListingOptions<Item>): SlackListingMessage {
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
