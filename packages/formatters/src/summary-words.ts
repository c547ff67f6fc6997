import { columns } from "./columns.js";
import type { Spread } from "./spread.js";
import type { Summary, Tally } from "./summary.js";
import { splitChannel } from "./values/channel.js";
import { formatBytes, formatCount, formatDuration, formatShare } from "./values/numbers.js";
import { formatStatus } from "./values/status.js";
import { shortened, textOf } from "./values/text.js";

/** One figure of a summary, or several that belong together. */
export interface SummaryFact {
  title: string;
  text: string;
}

/** What a summary says, in a few sentences. Names in it come from outside and are not escaped. */
export function summaryWords(summary: Summary): string {
  if (summary.count === 0) return `No ${columns[summary.kind].many}.`;
  return [
    outcomeWords(summary),
    culpritWords(summary),
    elapsedWords(summary),
    durationWords(summary),
    channelWords(summary),
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

/** The figures of a summary, under their titles; the same holds for names. */
export function summaryFacts(summary: Summary): SummaryFact[] {
  const { kind, count, failures, elapsed, duration, channels = [], bytes } = summary;
  const all = { title: capital(columns[kind].many), text: formatCount(count) };
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
    failures && { title: "Failed most", text: list(failures.where, target) },
    elapsed && { title: "Took", text: spread(elapsed, 1) },
    duration && { title: "Lasted", text: spread(duration, MINUTE) },
    { title: "Channels", text: list(channels, channelName) },
    ...bytes.map(({ title, total }) => ({ title, text: formatBytes(total) })),
  ];
  return facts.filter((fact): fact is SummaryFact => fact !== undefined && fact.text !== "");
}

/** More would not be read. */
const STATUSES = 5;
/** Longest names: one of five in a list, and one in a sentence. */
const NAME = 48;
const MINUTE = 60_000;

function outcomeWords({ kind, count, failures, bytes }: Summary): string {
  const { one, many } = columns[kind];
  if (!failures) {
    const sums = bytes.map(({ title, total }) => `${formatBytes(total)} ${title.toLowerCase()}`).join(", ");
    return `${formatCount(count)} ${count === 1 ? one : many}${sums && `: ${sums}`}.`;
  }
  const { count: failed } = failures;
  if (count === 1)
    return failed === 0 ? `The one ${one} did not fail.` : `The one ${one} failed${statusWords(failures)}.`;
  if (failed === 0) return `None of ${formatCount(count)} ${many} failed.`;
  if (failed === count) return `All ${formatCount(count)} ${many} failed${statusWords(failures)}.`;
  // A share of few says more than is known.
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

function culpritWords({ failures, count }: Summary): string {
  const { top, isAll } = leader(failures?.where ?? [], failures?.count ?? 0);
  if (!top) return "";
  if (failures?.count === 1) return `It was for ${target(top.name)}.`;
  if (isAll) return failures?.count === count ? "" : `All of these were for ${target(top.name)}.`;
  return `Failed most often: ${times(target(top.name), top.count)}.`;
}

function elapsedWords({ elapsed, count }: Summary): string {
  return elapsed ? spreadWords(elapsed, 1, count, { took: "took", most: "the slowest" }) : "";
}

function durationWords({ duration, count }: Summary): string {
  return duration ? spreadWords(duration, MINUTE, count, { took: "lasted", most: "the longest" }) : "";
}

function spreadWords(
  spread: Spread,
  unit: number,
  count: number,
  { took, most }: { took: string; most: string },
): string {
  const [p50, p95, max] = lengths(spread, unit);
  if (count === 1) return `It ${took} ${max}.`;
  if (p50 === max) return `None ${took} longer than ${max}.`;
  const middle = p95 === p50 || p95 === max ? "" : `, 95% at most ${p95}`;
  return `Half ${took} at most ${p50}${middle}, ${most} ${max}.`;
}

function channelWords({ channels = [], count }: Summary): string {
  const { top, isAll } = leader(channels, count);
  if (!top) return "";
  if (count === 1) return `It was in ${channelName(top.name)}.`;
  return isAll
    ? `All were in ${channelName(top.name)}.`
    : `The busiest channel is ${channelName(top.name)}, with ${formatCount(top.count)} of them.`;
}

/** The most frequent one, where there is one that is. */
function leader([first, second]: readonly Tally[], all: number): { top?: Tally; isAll: boolean } {
  const isAll = first?.count === all;
  return first && (isAll || (first.count > 1 && first.count > (second?.count ?? 0)))
    ? { top: first, isAll }
    : { isAll };
}

function lengths({ p50, p95, max }: Spread, unit: number): [p50: string, p95: string, max: string] {
  const words = (value: number): string => (value === 0 && unit === MINUTE ? "0 min" : formatDuration(value * unit));
  return [words(p50), words(p95), words(max)];
}

function spread(values: Spread, unit: number): string {
  const [p50, p95, max] = lengths(values, unit);
  return p50 === max ? max : `p50 ${p50} · p95 ${p95} · max ${max}`;
}

const list = (tallies: readonly Tally[], nameOf: (name: string) => string): string => {
  return tallies.map(({ name, count }) => times(nameOf(name), count)).join(", ");
};

const times = (name: string, count: number): string => `${name} (${formatCount(count)}×)`;

const target = (name: string): string => shortened(textOf(name.replace(/^https:\/\//, "")), NAME);

const channelName = (id: string): string => shortened(textOf(splitChannel(id).name), NAME);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
