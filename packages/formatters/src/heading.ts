import type { LogKind } from "@media-ops/sdk";
import { capital, rowOf } from "./columns.js";
import type { Period, Summary } from "./summary.js";
import { formatCount } from "./values/numbers.js";
import { type Clock, clockFor, DAY, MINUTE, type TimeOptions } from "./values/time.js";

/** The entries of a sorted listing. */
export interface Sorted {
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

/** How long a service keeps entries, in milliseconds: they say nothing about the time before. */
export const KEPT = 30 * DAY;

/** What a service still has of a period. */
type Kept =
  | { readonly since: number | undefined; readonly gone: undefined }
  | { readonly since: number; readonly gone: "part" | "all" };

/** The start of what a service still has of a period; that is the period's end if all of it is gone. */
export function keptOf(
  { since, until }: { since?: number | undefined; until?: number | undefined },
  now: number,
): Kept {
  // Two clocks differ a little, and time passes.
  const oldest = now - KEPT - MINUTE;
  if (until !== undefined && until < oldest) return { since: until, gone: "all" };
  return since !== undefined && since < oldest ? { since: now - KEPT, gone: "part" } : { since, gone: undefined };
}

/**
 * What was found where, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours", "Top 10 by bytes of 1,240
 * connections". If not all was searched, it says so first.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
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
