import type { DescribeContext } from "../values/value-type.js";

const DAY_MS = 86_400_000;

/** How far back each unit is still told in whole numbers; what lies further is told by the clock. */
const distances: readonly (readonly [ms: number, one: string, least: number, most: number])[] = [
  [DAY_MS, "day", 2, 60],
  [3_600_000, "hour", 1, 24],
  [60_000, "minute", 1, 120],
  [1000, "second", 1, 120],
];

// Between the parsing of "2h" and the telling of it lies a call of the service.
const SLACK_MS = 10_000;

/** `2 hours` for a time as far back as that, give or take what passes while a command is carried out. */
export function describeDistance(instant: number, { now }: DescribeContext): string | undefined {
  if (now === undefined) return undefined;
  const age = now - instant;
  // What was typed by the clock lies on a whole minute; it must not pass for a distance by chance.
  const slack = instant % 60_000 === 0 ? 0 : SLACK_MS;
  for (const [ms, one, least, most] of distances) {
    const count = Math.floor(age / ms);
    const isNear = count >= least && age - count * ms <= Math.min(slack, ms / 2);
    if (isNear && count <= most) return count === 1 ? one : `${count} ${one}s`;
  }
  return undefined;
}

/** Which moment of a day is told as the day alone. */
export type Edge = "start" | "end" | "none";

/** `2026-11-20 09:00`, or the day alone where the time is its beginning, or its end where an end is told. */
export function describeMoment(instant: number, { zone }: DescribeContext, edge: Edge = "start"): string {
  const wall = zone.wallAt(instant);
  const isEdge = edge !== "none" && (edge === "start" ? wall : wall + 1) % DAY_MS === 0;
  const [date = "", time = ""] = new Date(wall).toISOString().split("T");
  if (isEdge) return date;
  const clock = wall % 60_000 === 0 ? time.slice(0, 5) : time.slice(0, 8);
  return `${date} ${clock}${zone.name === "UTC" ? " UTC" : ""}`;
}
