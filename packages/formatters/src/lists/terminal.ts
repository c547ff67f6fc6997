import type {
  AuditEntry,
  Delivery,
  IssuedToken,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import {
  factLines,
  noteLines,
  openingLines,
  screenOf,
  type TerminalOptions,
  type TerminalScreenOptions,
  type TimedScreen,
  textLines,
  timedScreenOf,
  zoneOf,
} from "../terminal/screen.js";
import { cellOf, type TableColumn, tableLines } from "../terminal/table.js";
import { NOTHING } from "../values/text.js";
import { formatAgo } from "../values/time.js";
import { type ActWords, enabledPhrase, resentPhrase, revokedPhrase } from "./acts.js";
import { auditListing } from "./audit.js";
import { type DeliveryOptions, deliveriesListing, deliveryParts } from "./deliveries.js";
import { endpointsListing } from "./endpoints.js";
import { type Listing, type ListingColumn, type ListingOptions, moreWords, phraseText } from "./list.js";
import { issuedTokens } from "./tokens.js";

/** The options of a list of tokens, deliveries, endpoints or audit entries. */
export interface TerminalListingOptions extends ListingOptions, TerminalScreenOptions {}

/** A list as a title, a sentence and a table. */
function listingText<Item>(listing: Listing<Item>, options: TerminalScreenOptions): string {
  const { clock, columns, items, hasMore, note } = listing;
  const screen = screenOf(options);
  return [
    ...openingLines(listing, screen),
    ...itemLines(columns, items, { ...screen, clock }),
    ...noteLines([moreWords(0, hasMore), note], screen),
  ].join("\n");
}

/** A table of items after an empty line; nothing without items. */
export function itemLines<Item>(
  columns: readonly ListingColumn<Item>[],
  items: readonly Item[],
  { clock, width, paint }: TimedScreen,
): string[] {
  const table = columns.map(
    ({ title, isTime, isAddress = false, isOptional = false, isFixed = false, cell }): TableColumn => {
      const shown = items.map(cell);
      return {
        title: isTime ? title + zoneOf(clock) : title,
        isRight: shown.some(({ number }) => number !== undefined),
        isOptional,
        isAddress,
        cells: shown.map((one) => (isFixed ? { ...cellOf(one), isFixed } : cellOf(one))),
      };
    },
  );
  return items.length > 0 ? ["", ...tableLines(table, width, paint)] : [];
}

/** The access tokens that are out, one per line. */
export const formatTokens = (tokens: readonly IssuedToken[], options: TerminalListingOptions): string =>
  listingText(issuedTokens(tokens, options), options);

/** Webhook deliveries, one per line. */
export const formatDeliveries = (deliveries: readonly Delivery[], options: TerminalListingOptions): string =>
  listingText(deliveriesListing(deliveries, options), options);

/** Webhook endpoints, one per line. */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: TerminalListingOptions): string =>
  listingText(endpointsListing(endpoints, options), options);

/** Who changed what, one entry per line. */
export const formatAudit = (entries: readonly AuditEntry[], options: TerminalListingOptions): string =>
  listingText(auditListing(entries, options), options);

/** The options of one delivery. */
export interface TerminalDeliveryOptions extends DeliveryOptions, TerminalScreenOptions {}

/** One delivery with its attempts. */
export function formatDelivery(delivery: Delivery, options: TerminalDeliveryOptions): string {
  const screen = screenOf(options);
  const parts = deliveryParts(delivery, options);
  const { clock, facts, attempts } = parts;
  const timed = (time: number): string => `${clock.zoned(time)} · ${formatAgo(time, clock.now)}`;
  const lines = [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : timed(time) })),
    ...attempts.map(({ time, text, tone }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : timed(time)}`,
      style: tone,
    })),
  ];
  return [...openingLines(parts, screen), "", ...factLines(lines, screen)].join("\n");
}

const actText = ({ phrase, tone }: ActWords, screen: TimedScreen): string =>
  textLines(phraseText(phrase, screen.clock), tone, screen).join("\n");

/** What was revoked, from when on it holds, and what became of the connections. */
export function formatRevoked(revoked: RevokedTokens, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  return actText(revokedPhrase(revoked, screen.clock), screen);
}

/** How many webhooks are sent again. */
export const formatResent = (resent: ResentDeliveries, options: TerminalOptions): string =>
  actText(resentPhrase(resent), timedScreenOf(options));

/** That an endpoint is switched on. */
export const formatEnabled = (endpoint: WebhookEndpoint, options: TerminalOptions): string =>
  actText(enabledPhrase(endpoint), timedScreenOf(options));
