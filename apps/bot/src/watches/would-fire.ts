import type { LogCounts } from "@media-ops/sdk";
import type { Project } from "../connections/clients.js";
import { FEWEST } from "./detector.js";
import type { Rule } from "./rule.js";
import { exceeds } from "./rule.js";

/** A time in which a watch would have fired. */
interface PastIncident {
  readonly from: number;
  readonly to: number;
}

/** What a watch would have found. */
export interface Rehearsal {
  readonly incidents: readonly PastIncident[];
  /** The time from which on the log was counted: later than asked for if the service did not get further. */
  readonly since: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** How far back a watch is tried out. */
export const REHEARSED_MS = 7 * DAY_MS;

// The service counts so many periods at once.
const MOST_PERIODS = 2000;
const SHORTEST_MS = 5 * 60_000;

/** Counts the last seven days in periods as long as the watch's window, and says in which of them it would have fired. */
export async function rehearse({ ask, id }: Pick<Project, "ask" | "id">, rule: Rule, now: number): Promise<Rehearsal> {
  const every = Math.ceil(Math.max(SHORTEST_MS, rule.overMs) / 1000);
  const spanMs = every * 1000 * (MOST_PERIODS - 1);
  const parts: LogCounts[] = [];
  let since = now - REHEARSED_MS;
  let until = now;
  while (until > since) {
    const from = Math.max(since, until - spanMs);
    const range = { since: new Date(from).toISOString(), until: new Date(until).toISOString() };
    const question = { project_id: id, where: rule.where, ...range, every };
    const counts = await ask((client, options) => client.logs.count(rule.kind, question, options));
    parts.push(counts);
    if (!counts.complete) since = Math.max(from, Date.parse(counts.since));
    until = from;
  }
  const above = parts
    .flatMap(({ periods }) => periods)
    .filter((period) => isAbove(rule, period))
    .map(({ start }) => Date.parse(start))
    .sort((a, b) => a - b);
  return { incidents: joined(above, every * 1000), since };
}

function isAbove(rule: Rule, period: LogCounts["periods"][number]): boolean {
  const value = measured(rule.measure, period);
  return value !== undefined && exceeds(rule, value);
}

function measured(measure: Rule["measure"], { count, failed = 0, elapsed_ms }: LogCounts["periods"][number]) {
  if (measure === "count") return count;
  if (count < FEWEST) return undefined;
  return measure === "failed" ? failed / count : elapsed_ms?.[measure];
}

/** Periods that follow one another are one incident, as are those that a short recovery separates. */
function joined(starts: readonly number[], lengthMs: number): PastIncident[] {
  const incidents: { from: number; to: number }[] = [];
  for (const from of starts) {
    const last = incidents.at(-1);
    if (last && from - last.to <= Math.max(10 * 60_000, lengthMs)) last.to = from + lengthMs;
    else incidents.push({ from, to: from + lengthMs });
  }
  return incidents;
}
