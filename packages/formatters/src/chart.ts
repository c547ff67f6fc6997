import type { Period, Summary } from "@media-ops/reports";
import { DAY, MINUTE, rowOf } from "@media-ops/reports/entries";
import { adjectiveOf, capital } from "./logs.js";
import * as slack from "./slack/parts.js";
import type * as terminal from "./terminal/screen.js";
import { textWidth, wrap } from "./terminal/width.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { clockFor, monthAndDay } from "./values/words.js";

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

const HATCH = "░";
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

const LABEL = 50;

/** A chart as a block. */
export function chartBlock(chart: Chart, timeZone: string): slack.DataVisualizationBlock {
  const { of, title, unit, series, hasGaps } = chart;
  const labels = hatchedLabels(chart);
  return {
    type: "data_visualization",
    title,
    chart: {
      // A line would connect points across gaps.
      type: of === "latency" && !hasGaps ? "line" : "bar",
      series: series.map(({ name, values }) => ({
        name,
        data: labels.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      // Slack shows chart labels unchanged, not in the zone of each reader.
      axis_config: { categories: labels, x_label: slack.fit(timeZone, LABEL), ...(unit && { y_label: unit }) },
    },
  };
}

const CATEGORY = 20;

/** Slack draws no hatching, so the labels have it, where it fits. */
function hatchedLabels({ labels, unsearched }: Chart): string[] {
  return labels.map((label, at) => (unsearched[at] && label.length < CATEGORY ? HATCH + label : label));
}

/** The bars of the first and the second series; they are distinguishable without colour. */
const MARKS = ["█", "▒"] as const;
const GAP = "  ";
/** Shorter bars cannot be compared, longer ones add nothing. */
const [SHORTEST, LONGEST] = [8, 50];

/** A chart with a bar per line, or small bars on one line if they do not fit. */
export function chartLines(chart: Chart, screen: terminal.Screen): string[] {
  const { width, paint } = screen;
  const isSingle = chart.series.length === 1;
  const headings = chart.series.map(({ name }, at) => (isSingle ? name : `${MARKS[at] ?? ""} ${name}`));
  const numbers = chart.series.map(({ values }) => values.map((value, row) => figureFor(value, row, chart)));
  const labelWidth = widest(chart.labels);
  const numberWidths = headings.map((heading, at) => widest([heading, ...(numbers[at] ?? [])]));
  const before = numberWidths.reduce((sum, one) => sum + one + GAP.length, labelWidth) + GAP.length;
  const room = Math.min(width - before, LONGEST);
  if (room < SHORTEST) return sparkLines(chart, screen);

  const bars = barsOf(chart, room);
  const styles = stylesOf(chart);
  const heading = headings.map((text, at) => text.padStart(numberWidths[at] ?? 0));
  return [
    paint([" ".repeat(labelWidth), ...heading].join(GAP), "faint"),
    ...chart.labels.map((label, row) => {
      const figures = numbers.map((texts, at) => (texts[row] ?? "").padStart(numberWidths[at] ?? 0));
      const bar = (bars[row] ?? []).map((length, at) => paint((MARKS[at] ?? "").repeat(length), styles[at] ?? "plain"));
      const drawn = sumOf(bars[row] ?? []);
      const hatched = chart.unsearched[row] ? paint(HATCH.repeat(room - drawn), "faint") : "";
      return [label.padEnd(labelWidth), ...figures, bar.join("") + hatched].join(GAP).trimEnd();
    }),
  ];
}

/** The lengths of the parts of each bar. Any positive value is visible. */
function barsOf(chart: Chart, room: number): number[][] {
  const parts = chart.labels.map((_, row) => partsOf(chart, row));
  const most = Math.max(...parts.map((row) => sumOf(row)), 0);
  return parts.map((row) => {
    const lengths = row.map((part) => (part > 0 ? Math.max(Math.round((part / most) * room), 1) : 0));
    const tooLong = sumOf(lengths) - room;
    const longest = lengths.indexOf(Math.max(...lengths));
    return lengths.map((length, at) => (at === longest && tooLong > 0 ? length - tooLong : length));
  });
}

/** Failures follow successes. A p95 includes the p50, so only the difference follows it. */
function partsOf({ of, series }: Chart, row: number): number[] {
  const values = series.map(({ values }) => Math.max(values[row] ?? 0, 0));
  return of === "entries" ? values : values.map((value, at) => Math.max(value - (values[at - 1] ?? 0), 0));
}

const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Each series as a line of small bars, of which only the newest are shown if they do not fit. */
function sparkLines(chart: Chart, { width, paint }: terminal.Screen): string[] {
  const styles = stylesOf(chart);
  const shown = chart.labels.slice(-width);
  const lines = chart.series.flatMap(({ name, values }, at) => {
    const newest = values.slice(-width);
    const most = Math.max(...newest);
    const unsearched = chart.unsearched.slice(-width);
    const spark = newest.map((value, row) => {
      if (value > 0) return LEVELS[Math.ceil((value / most) * LEVELS.length) - 1];
      return unsearched[row] ? HATCH : "·";
    });
    const heading = wrap(`${name}, at most ${wordsFor(most, chart)}`, width).map((line) => paint(line, "faint"));
    return [...heading, paint(spark.join(""), styles[at] ?? "plain")];
  });
  const range = shown.length > 1 ? `${shown[0]} to ${shown.at(-1)}` : (shown[0] ?? "");
  return [...lines, ...wrap(range, width)];
}

function stylesOf({ of, series }: Chart): terminal.Style[] {
  if (of === "latency") return ["plain", "faint"];
  return series.length === 1 ? ["plain"] : ["good", "bad"];
}

const wordsFor = (value: number, { of }: Chart): string => (of === "latency" ? formatDuration : formatCount)(value);

/** A bucket that was not wholly searched may have more. */
function figureFor(value: number, row: number, chart: Chart): string {
  if (!chart.unsearched[row]) return wordsFor(value, chart);
  if (value === 0) return "?";
  return chart.of === "entries" ? `≥${wordsFor(value, chart)}` : wordsFor(value, chart);
}

const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => textWidth(text)));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
