import type { Tally } from "@media-ops/reports";
import { fieldOf, isFailure, itemsIn } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import { isRefusal } from "./values/reason.js";
import { NOTHING, textOf } from "./values/text.js";

/** What a watch saw: an incident that goes on or is over. Times are in milliseconds since 1970. */
export interface Incident {
  kind: LogKind;
  /** What is compared with the limit: entries, the share of failed ones, or a percentile of their processing times. */
  measure: "count" | "failed" | "p50" | "p95" | "p99";
  /** In entries, as a share from 0 to 1, or in milliseconds. */
  limit: number;
  /** The length of the period that is measured, in milliseconds. */
  overMs: number;
  /** The measure now, in the unit of the limit. */
  value: number;
  /** The highest value during the incident. */
  worst: number;
  /** The time of the first entry that counts. */
  began: number;
  /** The time of the last entry that counts; absent while the incident goes on. */
  ended?: number;
  /** The time up to which the log was read. */
  lookedUntil: number;
  /** How many entries count: they match, failed, or took longer than the limit. */
  count: number;
  /** All matching entries, for measures that compare. */
  total?: number;
  /** Whether the counted entries are failures. */
  isFailure: boolean;
  /** The counted entries by field of the API, such as `reason` or `url`; the most frequent names first. */
  groups: { field: string; tallies: Tally[] }[];
  /** At most twenty consecutive periods, oldest first. */
  overTime: { from: number; to: number; count: number }[];
  /** How often the incident began: 1, or more if it came back. */
  times: number;
  /** The time since which the service has not answered: what goes on since then is not known. */
  blindSince?: number;
}

/** Whether an incident goes on or is over; "unknown" if the service doesn't answer, even if an end was seen before. */
export function stateOf({ ended, blindSince }: Incident): "on" | "over" | "unknown" {
  if (blindSince !== undefined) return "unknown";
  return ended === undefined ? "on" : "over";
}

/** Whether the measure is a processing time. */
export const isSlowness = ({ measure }: Incident): boolean => measure !== "count" && measure !== "failed";

/** A count that can be shown. */
export const countIn = (count: unknown): number =>
  typeof count === "number" && Number.isFinite(count) && count > 0 ? count : 0;

/** A value that stands out among the counted entries. */
export interface Leader extends Tally {
  field: string;
  /** Whether more than half of the entries have it. */
  isMost: boolean;
  /** Whether all entries have it. */
  isAll: boolean;
}

/** The fields that explain a failure; the others say where it happened. */
const CAUSES: readonly string[] = ["reason", "status"];

/** The most frequent cause. That slow calls succeeded explains nothing. */
export function causeOf(incident: Incident): Leader | undefined {
  const causes = leadersIn(incident, (field) => CAUSES.includes(field));
  return causes.find(({ field, name }) => field !== "status" || isFailure(Number(name)));
}

/** A smaller part of the entries says nothing about where they fail. */
const LEAST_SHARE = 0.25;

/**
 * Where most entries are: the first field, such as the URL, of which one value has most of them; otherwise the value that
 * has the most of any field.
 */
export function placeOf(incident: Incident): Leader | undefined {
  const all = countIn(incident.count);
  const places = leadersIn(incident, (field) => !CAUSES.includes(field)).filter(
    ({ count }) => count >= LEAST_SHARE * all && (count > 1 || all <= 1),
  );
  const [most] = [...places].sort((a, b) => b.count - a.count);
  return places.find(({ isMost }) => isMost) ?? most;
}

/** The most frequent value of each field that has exactly one. */
function leadersIn({ count, ...rest }: Incident, isMeant: (field: string) => boolean): Leader[] {
  const all = countIn(count);
  return itemsIn(rest, "groups").flatMap((group): Leader[] => {
    const field = textOf(fieldOf(group, "field"));
    const [first, second] = isMeant(field) ? talliesIn(group) : [];
    if (!first || first.count === second?.count) return [];
    return [{ ...first, field, isMost: 2 * first.count > all, isAll: first.count >= all }];
  });
}

/** The names that entries have, most frequent first. */
function talliesIn(group: unknown): Tally[] {
  return itemsIn(group, "tallies")
    .map((tally) => ({ name: textOf(fieldOf(tally, "name")), count: countIn(fieldOf(tally, "count")) }))
    .filter(({ name, count }) => name !== NOTHING && count > 0)
    .sort((a, b) => b.count - a.count);
}

/** Whether the counted entries are refused clients, by their reasons. */
export function refusalsIn({ kind, ...rest }: Incident): "all" | "some" | "none" {
  if (kind !== "events") return "none";
  const reasons = itemsIn(rest, "groups").filter((group) => fieldOf(group, "field") === "reason");
  const names = reasons.flatMap((group) => talliesIn(group).map(({ name }) => name));
  if (!names.some(isRefusal)) return "none";
  return names.every(isRefusal) ? "all" : "some";
}
