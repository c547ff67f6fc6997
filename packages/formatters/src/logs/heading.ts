import type { LogKind } from "@media-ops/contract";
import type { ListingFigures, Period, Summary } from "@media-ops/reports";
import { keptOf, rowOf } from "@media-ops/reports/entries";
import { formatCount } from "../values/numbers.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import { capital } from "./columns.js";

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
export interface Asked {
  kind: LogKind;
  /** Whether only failed entries were requested, or only others. @default both */
  only?: Summary["only"] | undefined;
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
 * What a listing or a summary found, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours, project demo",
 * "Top 10 by bytes of 1,240 connections". If not all was searched, or kept, it says so first.
 */
export function listingHeading(asked: Asked, figures: ListingFigures, options: TimeOptions): string {
  const { kind, only, until = options.now, isSummary = false } = asked;
  const { found, of, top, searchedTo, isAtLeast = searchedTo !== undefined } = figures;
  const { since, gone } = keptOf(asked, options.now);
  const { period, more } = asked.phrases(gone === "part" ? since : asked.since);
  const { one, many } = rowOf(kind);
  const when = period && ` ${period}`;
  if (gone === "all" && !isSummary) {
    return `Nothing is known of ${[`${adjectiveOf(only)}${many}${when}`, more].filter(Boolean).join(", ")}: ${RULE}.`;
  }
  const order = top === undefined ? undefined : asked.order;
  const isTop = order !== undefined && top !== undefined && top < found;
  const amount = `${isAtLeast && found > 0 ? "at least " : ""}${formatCount(found)}`;
  const name = `${adjectiveOf(only)}${found === 1 && !isAtLeast ? one : many}`;
  const there = searchedTo !== undefined && found === 0 ? " there" : "";
  const total = of === undefined || (of === found && only === undefined) ? "" : ` of ${formatCount(of)}`;
  const heading = [
    `${isTop ? `Top ${formatCount(top)} ${order} of ` : ""}${amount} ${name}${there}${total}${when}`,
    isTop || found < 2 ? undefined : order,
    more,
  ]
    .filter(Boolean)
    .join(", ");
  if (searchedTo !== undefined) {
    const searched = { from: Math.min(Date.parse(searchedTo), until), to: until };
    return `${incompleteWords(searched, clockFor(options))} ${capital(heading)}`;
  }
  return gone && !isSummary ? `Incomplete: ${RULE}. ${capital(heading)}` : heading;
}
