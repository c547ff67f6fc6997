import type { Period, Summary } from "@media-ops/reports";
import { DAY, MINUTE, rowOf } from "@media-ops/reports/entries";
import { capital } from "../logs/columns.js";
import { adjectiveOf } from "../logs/heading.js";
import { clockFor, monthAndDay } from "../values/time.js";

/** The subject of a chart: the number of entries, or their processing times. */
export type ChartOf = "entries" | "latency";

/** A chart over time, before it is drawn. Each series has one value per label. */
export interface Chart {
  /** The subject; a kind without processing times has only the chart of entries. */
  of: ChartOf;
  title: string;
  /** The unit of the values; absent for counts. */
  unit?: string;
  /** The start of each bucket; all labels are unique. */
  labels: string[];
  /** Whether buckets between them are omitted. */
  hasGaps: boolean;
  series: { name: string; values: number[] }[];
  /** Whether each bucket was not wholly searched, so that its values may be too low. */
  unsearched: boolean[];
}

/** What hatches a part of a chart that was not searched. */
export const HATCH = "░";
/** Explains it below a chart. */
export const HATCHED = "░ was not searched.";

/**
 * The chart of a summary; `undefined` if no entry has a time. Buckets without entries have the count 0, and are omitted
 * from a chart of processing times, except those that were not searched.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export function chartOf(summary: Summary, of: ChartOf, timeZone?: string): Chart | undefined {
  const { kind, only, failures, overTime } = summary;
  const many = `${adjectiveOf(only)}${rowOf(kind).many}`;
  const labels = labelsOf(overTime, timeZone);
  const timed = overTime.flatMap(({ elapsed, complete }, at) => {
    if (!elapsed && complete) return [];
    return [{ p50: elapsed?.p50 ?? 0, p95: elapsed?.p95 ?? 0, label: labels[at] ?? "", complete }];
  });
  if (of === "latency" && overTime.some(({ elapsed }) => elapsed)) {
    return {
      of,
      title: `How long ${many} took`,
      unit: "ms",
      labels: timed.map(({ label }) => label),
      hasGaps: timed.length < labels.length || timed.some(({ complete }) => !complete),
      unsearched: timed.map(({ complete }) => !complete),
      series: [
        { name: "p50", values: timed.map(({ p50 }) => p50) },
        { name: "p95", values: timed.map(({ p95 }) => p95) },
      ],
    };
  }
  if (labels.length === 0) return undefined;
  return {
    of: "entries",
    title: `${capital(many)} over time`,
    labels,
    hasGaps: false,
    unsearched: overTime.map(({ complete }) => !complete),
    series:
      failures && only === undefined
        ? [
            { name: "Succeeded", values: overTime.map(({ count, failed }) => count - failed) },
            { name: "Failed", values: overTime.map(({ failed }) => failed) },
          ]
        : // The title says which of them: "Failed media API calls" is longer than Slack allows here.
          [{ name: capital(rowOf(kind).many), values: overTime.map(({ count }) => count) }],
  };
}

/** Labels as short as possible while they differ: at most 20 characters. */
export function labelsOf(stretches: readonly Period[], timeZone: string | undefined): string[] {
  const [first] = stretches;
  if (!first) return [];
  const clock = clockFor({ now: first.from, timeZone });
  const starts = stretches.map(({ from }) => clock.full(from));
  // A day is shorter if clocks are put forward.
  const length = Math.max(...stretches.map(({ from, to }) => to - from));
  const isPlainDays = length >= DAY && starts.every((start) => start.endsWith(" 00:00:00"));
  const isOneDay = starts.every((start) => start.slice(0, 10) === starts[0]?.slice(0, 10));
  const isOneYear = starts.every((start) => start.slice(0, 4) === starts[0]?.slice(0, 4));
  const seen = new Map<string, number>();
  return starts.map((start) => {
    const day = isOneYear ? monthAndDay(start) : start.slice(0, 10);
    const time = start.slice(11, length < MINUTE ? 19 : 16);
    const label = isPlainDays ? day : isOneDay ? time : `${day} ${time}`;
    // An hour occurs twice if clocks are put back.
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}
