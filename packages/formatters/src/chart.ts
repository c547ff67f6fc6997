import { capital, rowOf } from "./columns.js";
import type { Summary } from "./summary.js";
import { clockFor, DAY, MINUTE, monthAndDay } from "./values/time.js";

/** What a chart shows: how many entries there were, or how long they took. */
export type ChartOf = "entries" | "latency";

/** A chart over time, before a printer has drawn it. Every series has one value for each label. */
export interface Chart {
  /** What it shows, which is the other than was asked for where a kind has no processing times. */
  of: ChartOf;
  title: string;
  /** What the values are in; absent where they are counts. */
  unit?: string;
  /** When each stretch begins, no two alike. */
  labels: string[];
  /** Whether stretches are left out between them. */
  hasGaps: boolean;
  series: { name: string; values: number[] }[];
}

/**
 * The chart of a summary; `undefined` where nothing has a time. Stretches without entries have the count 0; where times
 * are shown, such stretches are left out.
 *
 * @throws {RangeError} where there is no such zone.
 */
export function chartOf({ kind, failures, overTime }: Summary, of: ChartOf, timeZone?: string): Chart | undefined {
  const { many } = rowOf(kind);
  const name = capital(many);
  const labels = labelsOf(overTime, timeZone);
  const timed = overTime.flatMap(({ elapsed }, at) => (elapsed ? [{ ...elapsed, label: labels[at] ?? "" }] : []));
  if (of === "latency" && timed.length > 0) {
    return {
      of,
      title: `How long ${many} took`,
      unit: "ms",
      labels: timed.map(({ label }) => label),
      hasGaps: timed.length < labels.length,
      series: [
        { name: "p50", values: timed.map(({ p50 }) => p50) },
        { name: "p95", values: timed.map(({ p95 }) => p95) },
      ],
    };
  }
  if (labels.length === 0) return undefined;
  return {
    of: "entries",
    title: `${name} over time`,
    labels,
    hasGaps: false,
    series: failures
      ? [
          { name: "Succeeded", values: overTime.map(({ count, failed }) => count - failed) },
          { name: "Failed", values: overTime.map(({ failed }) => failed) },
        ]
      : [{ name, values: overTime.map(({ count }) => count) }],
  };
}

/** As short as they can be so that a reader can tell them apart: at most 20 characters. */
function labelsOf(stretches: Summary["overTime"], timeZone: string | undefined): string[] {
  const [first] = stretches;
  if (!first) return [];
  const clock = clockFor({ now: first.from, timeZone });
  const starts = stretches.map(({ from }) => clock.full(from));
  // A day is shorter where clocks are put on.
  const length = Math.max(...stretches.map(({ from, to }) => to - from));
  const isPlainDays = length >= DAY && starts.every((start) => start.endsWith(" 00:00:00"));
  const isOneDay = starts.every((start) => start.slice(0, 10) === starts[0]?.slice(0, 10));
  const isOneYear = starts.every((start) => start.slice(0, 4) === starts[0]?.slice(0, 4));
  const seen = new Map<string, number>();
  return starts.map((start) => {
    const day = isOneYear ? monthAndDay(start) : start.slice(0, 10);
    const time = start.slice(11, length < MINUTE ? 19 : 16);
    const label = isPlainDays ? day : isOneDay ? time : `${day} ${time}`;
    // An hour comes twice when clocks are put back.
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}
