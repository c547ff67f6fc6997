import { type Chart, HATCH } from "../summary/words.js";
import { formatCount, formatDuration } from "../values/numbers.js";
import type { Screen, Style } from "./screen.js";
import { textWidth, wrap } from "./width.js";

/** The bars of the first and the second series; they are distinguishable without colour. */
const MARKS = ["█", "▒"] as const;
const GAP = "  ";
/** Shorter bars cannot be compared, longer ones add nothing. */
const [SHORTEST, LONGEST] = [8, 50];

/** A chart with a bar per line, or small bars on one line if they do not fit. */
export function chartLines(chart: Chart, screen: Screen): string[] {
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
function sparkLines(chart: Chart, { width, paint }: Screen): string[] {
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

function stylesOf({ of, series }: Chart): Style[] {
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
