import type { AuditEntry, Delivery, IssuedToken, WebhookEndpoint } from "@media-ops/sdk";
import { type AuditOptions, auditListing } from "../audit.js";
import { type DeliveriesOptions, deliveriesListing, deliveryParts } from "../deliveries.js";
import { type EndpointsOptions, endpointsListing } from "../endpoints.js";
import { type IssuedTokensOptions, issuedTokens } from "../issued-tokens.js";
import { type Listing, moreWords } from "../listing.js";
import { NOTHING } from "../values/text.js";
import { formatAgo } from "../values/time.js";
import { factLines, screenOf, type TerminalOptions, type TerminalScreenOptions, timedScreenOf } from "./screen.js";
import { cellOf, type TableColumn, tableLines } from "./table.js";
import { clean, wrap } from "./width.js";

/** The options of issued tokens. */
export interface TerminalTokensOptions extends IssuedTokensOptions, TerminalScreenOptions {}

/** The options of webhook deliveries. */
export interface TerminalDeliveriesOptions extends DeliveriesOptions, TerminalScreenOptions {}

/** The options of webhook endpoints. */
export interface TerminalEndpointsOptions extends EndpointsOptions, TerminalScreenOptions {}

/** The options of the audit log. */
export interface TerminalAuditOptions extends AuditOptions, TerminalScreenOptions {}

/** A list as a title, a sentence and a table. */
function listingText<Item>(
  { clock, title, words, columns, items, hasMore, note }: Listing<Item>,
  options: TerminalScreenOptions,
): string {
  const { width, paint } = screenOf(options);
  const table = columns.map(
    ({ title, isTime, isAddress = false, isOptional = false, isFixed = false, cell }): TableColumn => {
      const shown = items.map(cell);
      return {
        // Few readers use UTC, so the title names it.
        title: isTime && clock.timeZone === "UTC" ? `${title} (UTC)` : title,
        isRight: shown.some(({ number }) => number !== undefined),
        isOptional,
        isAddress,
        cells: shown.map((one) => (isFixed ? { ...cellOf(one), isFixed } : cellOf(one))),
      };
    },
  );
  return [
    ...wrap(clean(title), width).map((line) => paint(line, "title")),
    ...wrap(clean(words), width),
    ...(items.length > 0 ? ["", ...tableLines(table, width, paint)] : []),
    ...[moreWords(0, hasMore), note]
      .filter((text) => text !== "")
      .flatMap((text) => ["", ...wrap(clean(text), width).map((line) => paint(line, "faint"))]),
  ].join("\n");
}

/**
 * The access tokens that are out, one per line.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatTokens = (tokens: readonly IssuedToken[], options: TerminalTokensOptions): string =>
  listingText(issuedTokens(tokens, options), options);

/**
 * Webhook deliveries, one per line.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatDeliveries = (deliveries: readonly Delivery[], options: TerminalDeliveriesOptions): string =>
  listingText(deliveriesListing(deliveries, options), options);

/**
 * Webhook endpoints, one per line.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatEndpoints = (endpoints: readonly WebhookEndpoint[], options: TerminalEndpointsOptions): string =>
  listingText(endpointsListing(endpoints, options), options);

/**
 * Who changed what, one entry per line.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export const formatAudit = (entries: readonly AuditEntry[], options: TerminalAuditOptions): string =>
  listingText(auditListing(entries, options), options);

/** The options of one delivery. */
export interface TerminalDeliveryOptions extends TerminalOptions {
  /** The title. @default "Webhook delivery" */
  title?: string | undefined;
}

/**
 * One delivery with its attempts.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatDelivery(delivery: Delivery, options: TerminalDeliveryOptions): string {
  const screen = timedScreenOf(options);
  const { width, paint } = screen;
  const { clock, title, words, tone, facts, attempts } = deliveryParts(delivery, options);
  const timed = (time: number): string => `${clock.zoned(time)} · ${formatAgo(time, clock.now)}`;
  const lines = [
    ...facts.map(({ title, text, time }) => ({ title, text: time === undefined ? text : timed(time) })),
    ...attempts.map(({ time, text, tone }, at) => ({
      title: `Attempt ${at + 1}`,
      text: `${text} · ${time === undefined ? NOTHING : timed(time)}`,
      style: tone,
    })),
  ];
  return [
    ...wrap(clean(title), width).map((line) => paint(line, "title")),
    ...wrap(clean(words), width).map((line) => paint(line, tone)),
    "",
    ...factLines(lines, screen),
  ].join("\n");
}
