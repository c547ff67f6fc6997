import { columnOf, rowOf } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import { capital } from "./columns.js";
import { countIn, type Incident, isSlowness, type Leader, refusalsIn } from "./incident.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { briefAddress, briefChannel, briefReason } from "./values/show.js";

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
