import type { LogKind } from "@media-ops/contract";
import type { ListingFigures, Period, Summary } from "@media-ops/reports";
import { keptOf, rowOf } from "@media-ops/reports/entries";
import { formatCount } from "../values/numbers.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { capital } from "./columns.js";

/** The entries of a sorted listing. */
interface Sorted {
  /** How many entries are listed. */
  top: number;
  /** The order in words, such as "by bytes". */
  order: string;
}

/** What a listing found, for its heading. */
export interface Found {
  /** How many entries match. */
  found: number;
  /** The first of them in an order, if they are sorted. @default they are not */
  sorted?: Sorted | undefined;
  /** Whether there are more than `found`. @default false */
  isAtLeast?: boolean | undefined;
  /** All entries of the period. @default not said */
  of?: number | undefined;
  /** Whether only failed entries were requested, or only others. @default both */
  only?: "failed" | "ok" | undefined;
  /** The period in words, such as "in the last 2 hours". @default not said */
  when?: string | undefined;
  /** The other conditions in words, and the project. @default none */
  more?: string | undefined;
  /** The part that was searched, if that is not the whole period. @default the whole period */
  searched?: Period | undefined;
  /** How much of the period is older than the entries that are kept. @default nothing */
  gone?: "part" | "all" | undefined;
}

/**
 * What was found where, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours", "Top 10 by bytes of 1,240
 * connections". If not all was searched, it says so first.
 */
export function foundHeading(kind: LogKind, given: Found, options: TimeOptions): string {
  const { one, many } = rowOf(kind);
  const { found, sorted, only, of, when, more, searched, gone, isAtLeast } = given;
  if (gone === "all") {
    const which = [`${adjectiveOf(only)}${many}${when ? ` ${when}` : ""}`, more].filter(Boolean).join(", ");
    return `Nothing is known of ${which}: ${RULE}.`;
  }
  const isTop = sorted !== undefined && sorted.top < found;
  const top = isTop ? `Top ${formatCount(sorted.top)} ${sorted.order} of ` : "";
  const amount = `${isAtLeast && found > 0 ? "at least " : ""}${formatCount(found)}`;
  const name = `${adjectiveOf(only)}${found === 1 && !isAtLeast ? one : many}`;
  const there = searched && found === 0 ? " there" : "";
  const total = of === undefined || (of === found && only === undefined) ? "" : ` of ${formatCount(of)}`;
  const words = [
    `${top}${amount} ${name}${there}${total}${when ? ` ${when}` : ""}`,
    sorted && !isTop && found > 1 ? sorted.order : undefined,
    more || undefined,
  ];
  const heading = words.filter((part) => part !== undefined).join(", ");
  if (searched) return `${incompleteWords(searched, clockFor(options))} ${capital(heading)}`;
  return gone ? `Incomplete: ${RULE}. ${capital(heading)}` : heading;
}

const RULE = "entries are kept for 30 days";

/** The outcome before the name of entries: "failed ", "successful ", or nothing if both were requested. */
export const adjectiveOf = (only: Summary["only"]): string =>
  only === undefined ? "" : only === "failed" ? "failed " : "successful ";

/** "Incomplete: only 21:41:25–21:41:26 was searched." */
export function incompleteWords(searched: Period | undefined, clock: Clock): string {
  if (searched && searched.from === searched.to && keptOf({ until: searched.to }, clock.now).gone)
    return `Nothing is known of this time: ${RULE}.`;
  return `Incomplete: only ${searched ? spanWords(searched, clock) : "a part"} was searched.`;
}

/** A period within a sentence: "21:41:25–21:41:26", with dates if it is not today. */
export function spanWords({ from, to }: Period, clock: Clock): string {
  const [start, end] = [clock.short(from), clock.short(to)];
  // The day is said once.
  const day = /^(.* )?(?=\S+$)/.exec(start)?.[0] ?? "";
  const isToday = day !== "" && !end.includes(" ");
  const rest = isToday ? `today ${end}` : end.startsWith(day) ? end.slice(day.length) : end;
  return `${start}–${rest}${clock.timeZone === "UTC" ? " UTC" : ""}`;
}

/** What a listing or a summary asks for. Times are in milliseconds since 1970. */
export interface Asked extends Pick<Found, "only"> {
  kind: LogKind;
  since?: number | undefined;
  until?: number | undefined;
  /** The order in words, such as "by bytes". @default the newest first */
  order?: string | undefined;
  /** Whether it is a summary, which says itself how much of the period is kept. @default false */
  isSummary?: boolean | undefined;
  /** The period in words, if it begins at this time, and the other conditions with the project. */
  phrases(since: number | undefined): { period: string; more: string };
}

/**
 * What a listing or a summary found, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours, project demo".
 * If not all was searched, or kept, it says so first.
 */
export function listingHeading(asked: Asked, figures: ListingFigures, options: TimeOptions): string {
  const { kind, only, order, until = options.now, isSummary } = asked;
  const { found, of, top, searchedTo, isAtLeast = searchedTo !== undefined } = figures;
  const { since, gone } = keptOf(asked, options.now);
  const { period, more } = asked.phrases(gone === "part" ? since : asked.since);
  const sorted = order !== undefined && top !== undefined ? { top, order } : undefined;
  const searched = searchedTo === undefined ? undefined : { from: Math.min(Date.parse(searchedTo), until), to: until };
  const given = { found, of, sorted, isAtLeast, only, when: period, more, searched };
  return foundHeading(kind, { ...given, gone: isSummary ? undefined : gone }, options);
}
