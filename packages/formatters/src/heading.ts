import type { LogKind } from "@media-ops/sdk";
import { rowOf } from "./columns.js";
import { adjectiveOf, type Period } from "./summary.js";
import { formatCount } from "./values/numbers.js";
import { type Clock, clockFor, type TimeOptions } from "./values/time.js";

/** What a listing found, for its heading. */
export interface Found {
  /** How many entries match. */
  found: number;
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
}

/**
 * What was found where, as a heading: "37 failed webhooks of 1,240,332 in the last 2 hours". If not all was searched,
 * it says so first.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function foundHeading(kind: LogKind, found: Found, options: TimeOptions): string {
  const { one, many } = rowOf(kind);
  const { only, of, when, more, searched, isAtLeast } = found;
  const least = isAtLeast && found.found > 0 ? (searched ? "At least " : "at least ") : "";
  const there = searched && found.found === 0 ? " there" : "";
  const amount = least + formatCount(found.found);
  const isOne = found.found === 1 && !isAtLeast;
  const total = of === undefined || (of === found.found && only === undefined) ? "" : ` of ${formatCount(of)}`;
  const words = [
    `${amount} ${adjectiveOf(only)}${isOne ? one : many}${there}${total}${when ? ` ${when}` : ""}`,
    more || undefined,
  ];
  const heading = words.filter((part) => part !== undefined).join(", ");
  if (!searched) return heading;
  return `${incompleteWords(searched, clockFor(options))} ${heading}`;
}

/** "Incomplete: only 21:41:25–21:41:26 was searched." */
export function incompleteWords(searched: Period | undefined, clock: Clock): string {
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
