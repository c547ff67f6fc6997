import type { AuditEntry, Delivery, IssuedToken, WebhookEndpoint } from "@media-ops/contract";
import { factLines, noteLines, openingLines, tableBelow } from "../markdown/markup.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { auditListing } from "./audit.js";
import { type DeliveryOptions, deliveriesListing, deliveryParts } from "./deliveries.js";
import { endpointsListing } from "./endpoints.js";
import { type Listing, type ListingColumn, type ListingOptions, moreWords } from "./list.js";
import { issuedTokens } from "./tokens.js";

/** A list as a heading, a sentence and a table. Times have their date and are not relative. */
function listingText<Item>(listing: Listing<Item>): string {
  const { clock, columns, items, hasMore, note } = listing;
  const table = itemLines(columns, items, clock);
  return [...openingLines(listing), ...table, ...noteLines(moreWords(0, hasMore), note)].join("\n");
}

/** A table of items after an empty line; nothing without items. */
export function itemLines<Item>(
  columns: readonly ListingColumn<Item>[],
  items: readonly Item[],
  { timeZone, full }: Clock,
): string[] {
  const cells = columns.map(({ cell }) => items.map(cell));
  return tableBelow(
    columns.map(({ title, isTime }, at) => ({
      title: isTime ? `${title} (${timeZone})` : title,
      isRight: cells[at]?.some(({ number }) => number !== undefined) ?? false,
    })),
    items.map((_, row) =>
      cells.map((column) => {
        const { text = NOTHING, time } = column[row] ?? {};
        return time === undefined ? text : full(time);
      }),
    ),
  );
}

/** The access tokens that are out, as a table. */
export const formatTokens = (tokens: readonly IssuedToken[], options: ListingOptions): string =>
  listingText(issuedTokens(tokens, options));

/** Webhook deliveries, as a table. */
export const formatDeliveries = (deliveries: readonly Delivery[], options: ListingOptions): string =>
  listingText(deliveriesListing(deliveries, options));

/** Webhook endpoints, as a table. */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: ListingOptions): string =>
  listingText(endpointsListing(endpoints, options));

/** Who changed what, as a table. */
export const formatAudit = (entries: readonly AuditEntry[], options: ListingOptions): string =>
  listingText(auditListing(entries, options));

/** One delivery with its attempts, as a table. */
export function formatDelivery(delivery: Delivery, options: DeliveryOptions): string {
  const parts = deliveryParts(delivery, options);
  const { clock, facts, attempts } = parts;
  const lines = [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : clock.zoned(time) })),
    ...attempts.map(({ time, text }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : clock.zoned(time)}`,
    })),
  ];
  return [...openingLines(parts), "", ...factLines("Field", lines)].join("\n");
}
