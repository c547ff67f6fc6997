import type { Delivery } from "@media-ops/contract";
import { answerText, factLines, tableBelow } from "../markdown/markup.js";
import type { AnswerOptions } from "../values/answer.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { auditListing } from "./audit.js";
import { type ListingColumn, type ListingOf, type ListingOptions, moreWords } from "./list.js";
import { issuedTokens } from "./tokens.js";
import { deliveriesListing, deliveryParts, endpointsListing } from "./webhooks.js";

/** Prints a list as a heading, a sentence and a table. Times have their date and are not relative. */
function printer<Item>(listingOf: ListingOf<Item>): (items: readonly Item[], options: ListingOptions) => string {
  return (items, options) => {
    const listing = listingOf(items, options);
    return answerText(listing, itemLines(listing.columns, items, listing.clock), moreWords(0, listing.hasMore));
  };
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

/** Issued tokens, as a table. */
export const formatTokens = printer(issuedTokens);

/** Webhook deliveries, as a table. */
export const formatDeliveries = printer(deliveriesListing);

/** Webhook endpoints, as a table. */
export const formatEndpoints = printer(endpointsListing);

/** Who changed what, as a table. */
export const formatAudit = printer(auditListing);

/** One delivery with its attempts, as a table. */
export function formatDelivery(delivery: Delivery, options: AnswerOptions): string {
  const parts = deliveryParts(delivery, options);
  const { clock, facts, attempts } = parts;
  const lines = [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : clock.zoned(time) })),
    ...attempts.map(({ time, text }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : clock.zoned(time)}`,
    })),
  ];
  return answerText(parts, ["", ...factLines("Field", lines)]);
}
