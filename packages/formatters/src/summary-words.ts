import type { LogKind } from "@media-ops/sdk";
import { type ChartOf, chartOf } from "./chart.js";
import { amountOf, capital, rowOf } from "./columns.js";
import { type Spread, type SummarizeOptions, type Summary, summarize, type Tally } from "./summary.js";
import { formatBytes, formatCount, formatDuration, formatMinutes, formatShare } from "./values/numbers.js";
import { briefAddress, briefChannel, formatStatus } from "./values/show.js";
import { type Clock, clockFor, type TimeOptions } from "./values/time.js";

/** One fact of a summary, or several related ones. */
interface SummaryFact {
  title: string;
  text: string;
}

/** The options of every printed summary. */
export interface SummaryOptions extends TimeOptions, Pick<SummarizeOptions, "since" | "until"> {
  /** The title above the summary, such as the query in words. @default the name of the log */
  title?: string | undefined;
  /** The subject of the chart; kinds without processing times have only the chart of entries. @default "entries" */
  chart?: ChartOf | undefined;
}

/** The parts of every printed summary; there are no facts without entries. */
export function summaryParts(kind: LogKind, entries: readonly unknown[], options: SummaryOptions) {
  const { title, chart = "entries", since, until } = options;
  const clock = clockFor(options);
  const summary = summarize(kind, entries, { since, until, timeZone: clock.timeZone });
  return {
    clock,
    title: title || rowOf(kind).title,
    words: summaryWords(summary),
    facts: summary.count === 0 ? [] : summaryFacts(summary),
    range: rangeFact(summary, clock),
    chart: chartOf(summary, chart, clock.timeZone),
  };
}

/** A summary in a few sentences. It contains untrusted names, which are not escaped. */
export function summaryWords(summary: Summary): string {
  if (summary.count === 0) return `No ${rowOf(summary.kind).many}.`;
  return [
    outcomeWords(summary),
    culpritWords(summary),
    spreadWords(summary.elapsed, summary.count, elapsedWords),
    spreadWords(summary.duration, summary.count, durationWords),
    busiestWords(summary),
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** The facts of a summary with their titles; untrusted names are not escaped either. */
export function summaryFacts(summary: Summary): SummaryFact[] {
  const { kind, count, failures, elapsed, duration, channels = [], bytes } = summary;
  const all = { title: capital(rowOf(kind).many), text: formatCount(count) };
  if (count === 0) return [all];
  const facts: (SummaryFact | undefined)[] = [
    all,
    failures && { title: "Failed", text: `${formatCount(failures.count)} (${formatShare(failures.count, count)})` },
    failures && {
      title: "Failed with",
      text: failures.byStatus
        .slice(0, STATUSES)
        .map((one) => times(formatStatus(one.status).text, one.count))
        .join(", "),
    },
    failures && { title: "Failed most", text: list(failures.where, briefAddress) },
    elapsed && { title: "Took", text: spreadFact(elapsed, formatDuration) },
    duration && { title: "Lasted", text: spreadFact(duration, formatMinutes) },
    { title: "Channels", text: list(channels, briefChannel) },
    ...bytes.map(({ title, total }) => ({ title, text: formatBytes(total) })),
  ];
  return facts.filter((fact): fact is SummaryFact => fact !== undefined && fact.text !== "");
}

/** The maximum number of listed statuses. */
const STATUSES = 5;

function outcomeWords({ kind, count, failures, bytes }: Summary): string {
  const { one, many } = rowOf(kind);
  if (!failures) {
    const sums = bytes.map(({ title, total }) => `${formatBytes(total)} ${title.toLowerCase()}`).join(", ");
    return `${amountOf(kind, count)}${sums && `: ${sums}`}.`;
  }
  const { count: failed } = failures;
  if (count === 1)
    return failed === 0 ? `The one ${one} did not fail.` : `The one ${one} failed${statusWords(failures)}.`;
  if (failed === 0) return `None of ${formatCount(count)} ${many} failed.`;
  if (failed === count) return `All ${formatCount(count)} ${many} failed${statusWords(failures)}.`;
  // A percentage of few entries would be misleading.
  const part = failed < 10 || count < 50 ? formatCount(failed) : formatShare(failed, count);
  return `${part} of ${formatCount(count)} ${many} failed${statusWords(failures)}.`;
}

function statusWords({ count, byStatus }: NonNullable<Summary["failures"]>): string {
  const words = (status: number): string => (status === 0 ? "without an answer" : `with status ${status}`);
  const [first, second] = byStatus;
  if (!first) return "";
  if (!second) return count === 1 ? `, ${words(first.status)}` : `, all ${words(first.status)}`;
  return first.count > second.count ? `, most often ${words(first.status)}` : "";
}

function culpritWords({ failures }: Summary): string {
  const { top, isAll } = leader(failures?.where ?? [], failures?.count ?? 0);
  if (!top) return "";
  if (failures?.count === 1) return `It was for ${briefAddress(top.name)}.`;
  if (isAll) return `All of these were for ${briefAddress(top.name)}.`;
  return `Failed most often: ${times(briefAddress(top.name), top.count)}.`;
}

/** The words for a distribution of durations. */
interface DurationWords {
  took: string;
  most: string;
  write(value: number): string;
  /** The word for 0, if it means less than 1. */
  none?: string;
}

const elapsedWords: DurationWords = { took: "took", most: "the slowest", write: formatDuration };
const durationWords: DurationWords = {
  took: "lasted",
  most: "the longest",
  write: formatMinutes,
  none: "less than a minute",
};

function spreadWords(spread: Spread | undefined, count: number, { took, most, write, none }: DurationWords): string {
  if (!spread) return "";
  const { p50, p95, max } = spread;
  const say = (value: number, before = ""): string => (value === 0 && none ? none : before + write(value));
  if (count === 1) return `It ${took} ${say(max)}.`;
  if (p50 === max) return `All ${took} ${say(max, "at most ")}.`;
  const middle = p95 === p50 || p95 === max ? "" : `, 95% at most ${write(p95)}`;
  return `Half ${took} ${say(p50, "at most ")}${middle}, ${most} ${write(max)}.`;
}

function busiestWords({ channels = [], count }: Summary): string {
  const { top, isAll } = leader(channels, count);
  if (!top) return "";
  if (count === 1) return `It was in ${briefChannel(top.name)}.`;
  return isAll
    ? `All were in ${briefChannel(top.name)}.`
    : `The busiest channel is ${briefChannel(top.name)}, with ${formatCount(top.count)} of them.`;
}

/** The most frequent one, if there is exactly one. */
function leader([first, second]: readonly Tally[], all: number): { top?: Tally; isAll: boolean } {
  const isAll = first?.count === all;
  return first && (isAll || (first.count > 1 && first.count > (second?.count ?? 0)))
    ? { top: first, isAll }
    : { isAll };
}

function spreadFact({ p50, p95, max }: Spread, write: (value: number) => string): string {
  return p50 === max ? write(max) : `p50 ${write(p50)} · p95 ${write(p95)} · max ${write(max)}`;
}

const list = (tallies: readonly Tally[], nameOf: (name: string) => string): string => {
  return tallies.map(({ name, count }) => times(nameOf(name), count)).join(", ");
};

const times = (name: string, count: number): string => `${name} (${formatCount(count)}×)`;

/** The times of the oldest and the newest entry. */
function rangeFact({ range }: Summary, clock: Clock): SummaryFact[] {
  if (!range) return [];
  const [from, to] = [clock.full(range.from), clock.zoned(range.to)];
  return [{ title: "Times", text: to.startsWith(from) ? to : `${from} to ${to}` }];
}
