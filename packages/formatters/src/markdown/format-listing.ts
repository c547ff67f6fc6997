import type { AuditEntry, Delivery, IssuedToken, WebhookEndpoint } from "@media-ops/sdk";
import { type AuditOptions, auditListing } from "../audit.js";
import { type DeliveriesOptions, deliveriesListing, deliveryParts } from "../deliveries.js";
import { type EndpointsOptions, endpointsListing } from "../endpoints.js";
import { type IssuedTokensOptions, issuedTokens } from "../issued-tokens.js";
import { type Listing, moreWords } from "../listing.js";
import { NOTHING } from "../values/text.js";
import type { TimeOptions } from "../values/time.js";
import { escapeMarkdown, factLines, headingLines, tableLines } from "./markup.js";

/** The options of issued tokens. */
export interface MarkdownTokensOptions extends IssuedTokensOptions {}

/** The options of webhook deliveries. */
export interface MarkdownDeliveriesOptions extends DeliveriesOptions {}

/** The options of webhook endpoints. */
export interface MarkdownEndpointsOptions extends EndpointsOptions {}

/** The options of the audit log. */
export interface MarkdownAuditOptions extends AuditOptions {}

/** A list as a heading, a sentence and a table. Times have their date and are not relative. */
function listingText<Item>({ clock, title, words, columns, items, hasMore, note }: Listing<Item>): string {
  const cells = columns.map(({ cell }) => items.map(cell));
  const table = tableLines(
    columns.map(({ title, isTime }, at) => ({
      title: isTime ? `${title} (${clock.timeZone})` : title,
      isRight: cells[at]?.some(({ number }) => number !== undefined) ?? false,
    })),
    items.map((_, row) =>
      cells.map((column) => {
        const { text = NOTHING, time } = column[row] ?? {};
        return time === undefined ? text : clock.full(time);
      }),
    ),
  );
  return [
    ...headingLines(title),
    escapeMarkdown(words),
    ...(items.length === 0 ? [] : ["", ...table]),
    ...[moreWords(0, hasMore), note].flatMap((text) => (text === "" ? [] : ["", escapeMarkdown(text)])),
  ].join("\n");
}

/**
 * The access tokens that are out, as a table.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatTokens = (tokens: readonly IssuedToken[], options: MarkdownTokensOptions): string =>
  listingText(issuedTokens(tokens, options));

/**
 * Webhook deliveries, as a table.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatDeliveries = (deliveries: readonly Delivery[], options: MarkdownDeliveriesOptions): string =>
  listingText(deliveriesListing(deliveries, options));

/**
 * Webhook endpoints, as a table.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: MarkdownEndpointsOptions): string =>
  listingText(endpointsListing(endpoints, options));

/**
 * Who changed what, as a table.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatAudit = (entries: readonly AuditEntry[], options: MarkdownAuditOptions): string =>
  listingText(auditListing(entries, options));

/** The options of one delivery. */
export interface MarkdownDeliveryOptions extends TimeOptions {
  /** The title. @default "Webhook delivery" */
  title?: string | undefined;
}

/**
 * One delivery with its attempts, as a table.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatDelivery(delivery: Delivery, options: MarkdownDeliveryOptions): string {
  const { clock, title, words, facts, attempts } = deliveryParts(delivery, options);
  const lines = [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : clock.zoned(time) })),
    ...attempts.map(({ time, text }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : clock.zoned(time)}`,
    })),
  ];
  return [...headingLines(title), escapeMarkdown(words), "", ...factLines("Field", lines)].join("\n");
}
