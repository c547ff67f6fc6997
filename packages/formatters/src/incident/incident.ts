import type { LogKind } from "@media-ops/contract";
import type { Tally } from "@media-ops/reports";
import { columnOf, fieldOf, isFailure, itemsIn, rowOf } from "@media-ops/reports/entries";
import { capital } from "../logs/columns.js";
import { formatCount, formatDuration } from "../values/numbers.js";
import { isRefusal } from "../values/reason.js";
import { briefAddress, briefChannel, briefReason } from "../values/show.js";
import { NOTHING, textOf } from "../values/text.js";

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
function refusalsIn({ kind, ...rest }: Incident): "all" | "some" | "none" {
  if (kind !== "events") return "none";
  const reasons = itemsIn(rest, "groups").filter((group) => fieldOf(group, "field") === "reason");
  const names = reasons.flatMap((group) => talliesIn(group).map(({ name }) => name));
  if (!names.some(isRefusal)) return "none";
  return names.every(isRefusal) ? "all" : "some";
}

/** How an incident is named, within a sentence. */
interface IncidentNames {
  /** "webhooks fail" */
  now: string;
  /** "webhooks still fail" */
  still: string;
  /** "webhooks failed" */
  past: string;
  /** What ended: "Recovered", or "Over" if nothing was wrong. */
  over: "Recovered" | "Over";
  /** "834 failures" */
  counted: string;
  /** "834 of 1,200 webhooks failed" */
  amount: string;
  /** What a share of them did: "failed" */
  did: string;
  /** The counted entries, for the title of a chart: "Failed webhooks". */
  entries: string;
  /** The same for its legend, in at most 20 characters: "Failed". */
  series: string;
}

/** The names of an incident by what it counts: slow calls, refused clients, failures, or any entries. */
export function namesOf(incident: Incident): IncidentNames {
  const { kind, isFailure, limit } = incident;
  const { one, many } = rowOf(kind);
  const count = countIn(incident.count);
  const counted = (single: string, several: string) => `${formatCount(count)} ${count === 1 ? single : several}`;
  const were = count === 1 ? "was" : "were";
  if (isSlowness(incident)) {
    const amount = `${ofTotal(incident, one, many)} took longer than ${formatDuration(limit)}`;
    return {
      now: `${many} are slow`,
      still: `${many} are still slow`,
      past: `${many} were slow`,
      over: "Recovered",
      counted: amount,
      amount,
      did: "were slow",
      entries: `Slow ${many}`,
      series: "Slow",
    };
  }
  const refused = refusalsIn(incident);
  if (refused === "all") {
    return {
      now: "clients are refused",
      still: "clients are still refused",
      past: "clients were refused",
      over: "Recovered",
      counted: counted("refusal", "refusals"),
      amount: `${counted("attempt", "attempts")} to connect ${were} refused`,
      did: "were refused",
      entries: "Refused attempts",
      series: "Refused",
    };
  }
  if (isFailure) {
    // What fails of the events are connections.
    const isEvents = kind === "events";
    const what = isEvents ? "connections" : many;
    const did = refused === "some" ? `failed or ${were} refused` : "failed";
    return {
      now: `${what} fail${refused === "some" ? " or are refused" : ""}`,
      still: `${what} still fail${refused === "some" ? " or are refused" : ""}`,
      past: `${what} failed${refused === "some" ? " or were refused" : ""}`,
      over: "Recovered",
      counted: counted("failure", "failures"),
      amount: `${isEvents ? counted("connection", "connections") : ofTotal(incident, one, many)} ${did}`,
      did,
      entries: `Failed ${what}`,
      series: "Failed",
    };
  }
  const some = count < FEW ? many : `many ${many}`;
  return {
    now: some,
    still: `there are still ${some}`,
    past: some,
    over: "Over",
    counted: counted(one, many),
    amount: counted(one, many),
    did: "count",
    entries: capital(many),
    series: capital(many),
  };
}

/** Fewer entries are not many. */
const FEW = 10;

/** "834 of 1,200 webhooks", "all 834 webhooks" */
function ofTotal(incident: Incident, one: string, many: string): string {
  const [count, total] = [countIn(incident.count), totalOf(incident)];
  if (total === undefined) return `${formatCount(count)} ${count === 1 ? one : many}`;
  return count === total
    ? `all ${formatCount(total)} ${many}`
    : `${formatCount(count)} of ${formatCount(total)} ${many}`;
}

/** All entries of an incident that compares, if they are known and more than one. */
export function totalOf(incident: Incident): number | undefined {
  const total = countIn(incident.total);
  return total >= countIn(incident.count) && total > 1 ? total : undefined;
}

/** A cause in short: "503", "no answer", "ICE timeout". */
export function causeName({ field, name }: Leader): string {
  if (field === "reason") return briefReason(name);
  return Number(name) === 0 ? "no answer" : briefAddress(name);
}

/** A place in short: "hooks.example/media", "client c1", "node-2". */
export function placeName(kind: LogKind, { field, name }: Leader): string {
  const text = field === "channel_id" ? briefChannel(name) : briefAddress(name);
  if (field === "url" || field === "media_target") return text;
  const title = (columnOf(kind, field)?.title ?? field).toLowerCase();
  return text.toLowerCase().startsWith(title) ? text : `${title} ${text}`;
}

/** "in lobby", "on node-2", "for hooks.example/media" */
export function atPlace(kind: LogKind, place: Leader): string {
  if (place.field === "channel_id") return `in ${briefChannel(place.name)}`;
  return `${place.field === "node_name" ? "on" : "for"} ${placeName(kind, place)}`;
}
