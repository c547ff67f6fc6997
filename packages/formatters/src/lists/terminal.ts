import type { Delivery, ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/contract";
import {
  answerText,
  factLines,
  screenOf,
  type TerminalOptions,
  type TerminalScreenOptions,
  type TimedScreen,
  textLines,
  timedScreenOf,
  zoneOf,
} from "../terminal/screen.js";
import { cellOf, type TableColumn, tableLines } from "../terminal/table.js";
import type { AnswerOptions } from "../values/answer.js";
import { NOTHING } from "../values/text.js";
import { formatAgo } from "../values/time.js";
import { auditListing } from "./audit.js";
import { type ListingColumn, type ListingOf, type ListingOptions, moreWords, phraseText } from "./list.js";
import { type ActWords, enabledPhrase, issuedTokens, resentPhrase, revokedPhrase } from "./tokens.js";
import { deliveriesListing, deliveryParts, endpointsListing } from "./webhooks.js";

/** Prints a list as a title, a sentence and a table. */
function printer<Item>(listingOf: ListingOf<Item>) {
  return (items: readonly Item[], options: ListingOptions & TerminalScreenOptions): string => {
    const listing = listingOf(items, options);
    const { clock, columns, hasMore } = listing;
    const screen = { ...screenOf(options), clock };
    const notes = [moreWords(0, hasMore), ...listing.notes];
    return answerText({ ...listing, notes }, itemLines(columns, items, screen), screen);
  };
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

/** Issued tokens, one per line. */
export const formatTokens = printer(issuedTokens);

/** Webhook deliveries, one per line. */
export const formatDeliveries = printer(deliveriesListing);

/** Webhook endpoints, one per line. */
export const formatEndpoints = printer(endpointsListing);

/** Who changed what, one entry per line. */
export const formatAudit = printer(auditListing);

/** One delivery with its attempts. */
export function formatDelivery(delivery: Delivery, options: AnswerOptions & TerminalScreenOptions): string {
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
  return answerText(parts, ["", ...factLines(lines, screen)], screen);
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
