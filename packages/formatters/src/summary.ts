import type { LogKind } from "@media-ops/contract";
import type { Group, GroupField, Spread, Summary, Tally } from "@media-ops/reports";
import { columnOf, rowOf } from "@media-ops/reports/entries";
import { type Chart, type ChartOf, chartBlock, chartLines, chartOf, HATCHED } from "./chart.js";
import { adjectiveOf, amountOf, capital, incompleteWords } from "./logs.js";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { clean, wrap } from "./terminal/width.js";
import { type AnswerOptions, answerFrame, type Fact } from "./values/answer.js";
import { counted, formatBytes, formatCount, formatDuration, formatMinutes, formatShare } from "./values/numbers.js";
import { briefAddress, briefChannel, briefReason, formatStatus, show, showWhole } from "./values/show.js";
import type { Clock } from "./values/words.js";

/** The options of every printed summary. */
export interface SummaryOptions extends Omit<AnswerOptions, "note"> {
  /** The subject of the chart; kinds without processing times have only the chart of entries. @default "entries" */
  chart?: ChartOf | undefined;
}

type GroupTable = NonNullable<ReturnType<typeof groupTable>>;

/** The parts of every printed summary; there are no facts without entries. */
function summaryParts(summary: Summary, options: SummaryOptions) {
  const { kind, count, complete, period } = summary;
  const frame = answerFrame(options, rowOf(kind).title);
  const { clock } = frame;
  const isEmpty = count === 0 && complete;
  return {
    ...frame,
    incomplete: complete ? "" : incompleteWords(period, clock),
    words: summaryWords(summary, clock),
    facts: count === 0 ? [] : summaryFacts(summary),
    period: periodFact(summary, clock),
    groups: groupTable(summary, clock),
    chart: isEmpty ? undefined : chartOf(summary, options.chart ?? "entries", clock.timeZone),
    notes: summary.isWithoutTools ? [WITHOUT_TOOLS] : [],
  };
}

/** What an overview of the API log leaves out. */
export const WITHOUT_TOOLS =
  "Excludes calls from tools such as the bot and the CLI, which identify themselves with from=.";

/** A summary in a few sentences. It contains untrusted names, which are not escaped. */
export function summaryWords(summary: Summary, clock: Clock): string {
  const { kind, count, complete, only, elapsed, duration } = summary;
  const sentences =
    count === 0
      ? [`No ${adjectiveOf(only)}${rowOf(kind).many}${complete ? "" : " there"}.`, beforeWords(summary)]
      : [
          outcomeWords(summary),
          beforeWords(summary),
          firstWords(summary, clock),
          trendWords(summary, clock),
          culpritWords(summary),
          spreadWords(elapsed, count, elapsedWords),
          spreadWords(duration, count, durationWords),
          busiestWords(summary),
        ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/**
 * The facts of a summary with their titles; untrusted names are not escaped either. If only failed entries were
 * requested, or only others, the words have said how many there are.
 */
export function summaryFacts(summary: Summary): Fact[] {
  const { kind, count, complete, only, failures, elapsed, duration, channels = [], bytes } = summary;
  const atLeast = complete ? "" : "≥";
  const all = { title: capital(rowOf(kind).many), text: `${atLeast}${formatCount(count)}` };
  if (count === 0) return [all];
  const facts: (Fact | undefined)[] = [
    ...(only === undefined ? [all, failedFact(summary), { title: "Before", text: beforeFact(summary) }] : []),
    failures && { title: "Failed with", text: causeFact(failures) },
    failures && { title: "Failed most", text: list(failures.where, briefAddress) },
    failures?.nodes && { title: "On nodes", text: list(failures.nodes, briefAddress) },
    elapsed && { title: "Took", text: spreadFact(elapsed, formatDuration) },
    duration && { title: "Lasted", text: spreadFact(duration, formatMinutes) },
    { title: "Channels", text: list(channels, briefChannel) },
    ...bytes.map(({ title, total }) => ({ title, text: `${atLeast}${formatBytes(total)}` })),
  ];
  return facts.filter((fact): fact is Fact => fact !== undefined && fact.text !== "");
}

function causeFact({ byStatus, byReason }: Failures): string {
  if (byReason) return list(byReason, briefReason);
  return list(
    byStatus.slice(0, STATUSES).map(({ status, count }) => ({ name: formatStatus(status).text, count })),
    (text) => text,
  );
}

type Failures = NonNullable<Summary["failures"]>;

function failedFact({ count, complete, failures }: Summary): Fact | undefined {
  if (!failures) return undefined;
  const known = `${formatCount(failures.count)} (${formatShare(failures.count, count)})`;
  // Of what was not searched, any number may have failed, and the share is another.
  const atLeast = failures.count === 0 ? "?" : `≥${formatCount(failures.count)}`;
  return { title: "Failed", text: complete ? known : atLeast };
}

function beforeFact({ kind, count, failures, before }: Summary): string {
  if (!before) return "";
  const failed = failures && before.failed !== undefined ? `${arrow(before.failed, failures.count)} failed, ` : "";
  return `${failed}${arrow(before.count, count)} ${rowOf(kind).many}`;
}

const arrow = (before: number, now: number): string => `${formatCount(before)} → ${formatCount(now)}`;

const STATUSES = 5;

function outcomeWords(summary: Summary): string {
  const { kind, count, complete, only, failures, bytes } = summary;
  const { one, many } = rowOf(kind);
  const there = complete ? "" : " there";
  if (!failures) {
    const sums = bytes.map(({ title, total }) => `${formatBytes(total)} ${title.toLowerCase()}`).join(", ");
    return `${amountOf(kind, count)}${there}${sums && `: ${sums}`}.`;
  }
  if (only === "ok") return `${formatCount(count)} ${adjectiveOf(only)}${count === 1 ? one : many}${there}.`;
  const how = causeWords(failures);
  if (only === "failed") return `${formatCount(count)} ${adjectiveOf(only)}${count === 1 ? one : many}${there}${how}.`;
  const { count: failed } = failures;
  if (count === 1)
    return failed === 0 ? `The only ${one}${there} did not fail.` : `The only ${one}${there} failed${how}.`;
  if (failed === 0) return `None of ${formatCount(count)} ${many}${there} failed.`;
  if (failed === count) return `All ${formatCount(count)} ${many}${there} failed${how}.`;
  // A percentage of few entries would be misleading.
  const share = failed < 10 || count < 50 ? "" : ` (${formatShare(failed, count)})`;
  return `${formatCount(failed)} of ${formatCount(count)} ${many}${there} failed${share}${how}.`;
}

/** What a summary compares: failures, if only some entries fail. */
function compared({ count, failures, only, before }: Summary): { now: number; before: number | undefined } {
  return failures && only === undefined
    ? { now: failures.count, before: before?.failed }
    : { now: count, before: before?.count };
}

function beforeWords(summary: Summary): string {
  const { now, before } = compared(summary);
  if (before === undefined || (before === 0 && now === 0)) return "";
  return `Compared with the period before: ${formatCount(before)} → ${formatCount(now)}.`;
}

function firstWords({ failures }: Summary, clock: Clock): string {
  if (failures?.first === undefined || failures.count < 2) return "";
  return `The first failed at ${clock.short(failures.first)}${inUtc(clock)}.`;
}

/** Few readers use UTC, so it is named. */
const inUtc = ({ timeZone }: Clock): string => (timeZone === "UTC" ? " UTC" : "");

/** Fewer entries have no trend. */
const LEAST = 10;

/** Whether it gets better or worse: the two halves of the period, or how long nothing has failed. */
function trendWords(summary: Summary, clock: Clock): string {
  const { overTime, complete, failures, only } = summary;
  const values = overTime.map(({ count, failed }) => (failures && only === undefined ? failed : count));
  const all = sumOf(values);
  if (!complete || all < LEAST || overTime.length < 4) return "";
  const middle = Math.floor(overTime.length / 2);
  const [older, newer] = [sumOf(values.slice(0, middle)), sumOf(values.slice(middle))];
  const timeAt = (at: number): string => clock.short(overTime[at]?.from ?? 0) + inUtc(clock);
  const isFailing = failures && only !== "ok";
  const last = values.reduce((found, value, at) => (value > 0 ? at : found), -1);
  if (isFailing && last < overTime.length - 2) return `None failed since ${timeAt(last + 1)}.`;
  const halves = `${formatCount(older)} before ${timeAt(middle)}, ${formatCount(newer)} since`;
  if (newer >= 2 * older) return `Rising: ${halves}.`;
  return older >= 2 * newer ? `Falling: ${halves}.` : "";
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function causeWords({ count, byStatus, byReason }: Failures): string {
  const words = (status: number): string => (status === 0 ? "without an answer" : `with status ${status}`);
  const causes =
    byReason?.map((one) => ({ ...one, words: `with the reason ${briefReason(one.name)}` })) ??
    byStatus.map((one) => ({ ...one, words: words(one.status) }));
  const [first, second] = causes;
  if (!first) return "";
  if (second) return first.count > second.count ? `, most often ${first.words}` : "";
  // Some events have no reason.
  return count === 1 ? `, ${first.words}` : `, ${first.count === count ? "all" : "most often"} ${first.words}`;
}

function culpritWords({ kind, failures }: Summary): string {
  const { top, isAll } = leader(failures?.where ?? [], failures?.count ?? 0);
  if (!top) return "";
  const name = `${kind === "events" ? "client " : ""}${briefAddress(top.name)}`;
  if (failures?.count === 1) return `It was for ${name}.`;
  if (isAll) return `All of these were for ${name}.`;
  return `Failed most often: ${times(name, top.count)}.`;
}

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

function spreadFact({ p50, p95, p99, max }: Spread, write: (value: number) => string): string {
  if (p50 === max) return write(max);
  return `p50 ${write(p50)} · p95 ${write(p95)} · p99 ${write(p99)} · max ${write(max)}`;
}

const list = (tallies: readonly Tally[], nameOf: (name: string) => string): string => {
  return tallies.map(({ name, count }) => times(nameOf(name), count)).join(", ");
};

const times = (name: string, count: number): string => `${name} (${formatCount(count)}×)`;

function periodFact({ period }: Summary, clock: Clock): Fact[] {
  if (!period) return [];
  const [from, to] = [clock.full(period.from), clock.zoned(period.to)];
  return [{ title: "Period", text: to.startsWith(from) ? to : `${from} to ${to}` }];
}

/** The groups of a summary, as a table and in a line each, with untrusted names; `undefined` if there are none. */
function groupTable({ kind, groups, only }: Summary, clock: Clock) {
  if (!groups || groups.all.length === 0) return undefined;
  const { by, all, omitted } = groups;
  const names = by.map((field) => ({
    ...nameOf(kind, field),
    texts: all.map((group) => valueIn(kind, group, field, clock)),
  }));
  const hasFailed = only === undefined && all.some(({ failed }) => failed !== undefined);
  const hasElapsed = all.some(({ elapsed }) => elapsed !== undefined);
  const figure = (title: string, write: (group: Group) => string) => {
    return { title, isRight: true, isAddress: false, texts: all.map(write) };
  };
  return {
    columns: [
      ...names,
      figure("Count", ({ count }) => formatCount(count)),
      ...(hasFailed ? [figure("Failed", failedText)] : []),
      ...(hasElapsed ? [figure("p95", ({ elapsed }) => (elapsed ? formatDuration(elapsed.p95) : "–"))] : []),
    ],
    lines: all.map((group, at) => {
      const name = names.map(({ texts }) => texts[at] ?? "").join(" · ");
      return `${name}: ${figuresOf(group, hasFailed)}`;
    }),
    omitted: omitted === 0 ? "" : `${counted(omitted, "more group is", "more groups are")} not shown.`,
  };
}

const failedText = ({ count, failed = 0 }: Group): string =>
  failed === 0 ? "0" : `${formatCount(failed)} (${formatShare(failed, count)})`;

function figuresOf(group: Group, hasFailed: boolean): string {
  const { count, failed = 0, elapsed } = group;
  const share = failed > 0 ? ` (${formatShare(failed, count)})` : "";
  const amount = hasFailed ? `${formatCount(failed)} of ${formatCount(count)} failed${share}` : formatCount(count);
  return elapsed ? `${amount}, p95 ${formatDuration(elapsed.p95)}` : amount;
}

const titles = new Map<GroupField, string>([
  ["from", "Program"],
  ["failed", "Outcome"],
]);

function nameOf(kind: LogKind, field: GroupField) {
  const column = columnOf(kind, field);
  return { title: column?.title ?? titles.get(field) ?? field, isRight: false, isAddress: column?.as === "address" };
}

function valueIn(kind: LogKind, { by }: Group, field: GroupField, clock: Clock): string {
  if (field === "failed") return by[field] === true ? "failed" : "did not fail";
  const as = columnOf(kind, field)?.as ?? "text";
  // Beside a group's own reason, its outcome needs none.
  if (as === "outcome") return showWhole(by, { field, as }, clock);
  // An id is read whole, so that it can be copied.
  return show(by, { field, as: as === "id" ? "text" : as }, clock).text;
}

const SUMMARY_FIELDS = 10;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function slackSummary(summary: Summary, options: SummaryOptions): slack.SlackMessage {
  const { incomplete, words, facts, period, groups, chart, notes, clock } = summaryParts(summary, options);
  const title = slack.titleOf(options.title, rowOf(summary.kind).title);
  const heading = incomplete === "" ? [slack.bold(title)] : [slack.bold(incomplete), slack.piece(`\n${title}`)];
  const blocks: slack.SlackBlock[] = [slack.richText(...heading), { type: "section", text: slack.plainText(words) }];
  if (facts.length > 0) {
    const shown = facts.slice(0, SUMMARY_FIELDS);
    blocks.push({
      type: "section",
      fields: shown.map((fact) => slack.mrkdwn(`*${fact.title}*\n${slack.escapeMrkdwn(fact.text)}`)),
    });
  }
  if (groups) blocks.push(slackGroups(groups));
  if (chart) blocks.push(chartBlock(chart, clock.timeZone));
  // In the zone of the chart, which it names: Slack's own dates would be in the zone of each reader.
  const [times] = period;
  const small = [
    times ? `${times.title}: ${times.text}` : summary.count > 0 ? "No entry has a time." : "",
    chart?.unsearched.includes(true) ? HATCHED : "",
    groups?.omitted,
    ...notes,
  ].filter((text) => text);
  if (small.length > 0) blocks.push(slack.context(...small));
  return { blocks, text: slack.answerNotification({ incomplete, title, words }) };
}

function slackGroups({ lines }: GroupTable): slack.SlackBlock {
  return slack.bulletList(lines.map((line) => [slack.piece(line)]));
}

/** A summary of many entries: in words, in numbers, and as a chart. */
export function terminalSummary(summary: Summary, options: SummaryOptions & terminal.TerminalScreenOptions): string {
  const screen = terminal.screenOf(options);
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, clock } = parts;
  const figures = [...facts, ...period];
  const hatched = chart?.unsearched.includes(true) ? HATCHED : "";
  const lines = [
    ...(figures.length > 0 ? ["", ...terminal.factLines(figures, screen)] : []),
    ...(groups ? ["", ...terminalGroups(groups, screen)] : []),
    ...(chart
      ? ["", ...terminal.textLines(chart.title + terminal.zoneOf(clock), "title", screen), ...chartLines(chart, screen)]
      : []),
    ...terminal.textLines(hatched, "faint", screen),
  ];
  return terminal.answerText(parts, lines, screen);
}

function terminalGroups({ columns, omitted }: GroupTable, { width, paint }: terminal.Screen): string[] {
  const drawn = columns.map(
    ({ texts, isRight, ...column }): terminal.TableColumn => ({
      ...column,
      isRight,
      isOptional: false,
      cells: texts.map((text) => ({ text: clean(text), style: "plain", isFixed: isRight })),
    }),
  );
  return [...terminal.tableLines(drawn, width, paint), ...(omitted === "" ? [] : wrap(omitted, width))];
}

/** The characters that fit on a line of a code block on most pages. */
const WIDTH = 80;

/** A summary of many entries: in words, in numbers, and as a chart. */
export function markdownSummary(summary: Summary, options: SummaryOptions): string {
  const parts = summaryParts(summary, options);
  const { facts, period, groups, chart, clock } = parts;
  const figures = [...facts, ...period];
  return markdown.answerText(parts, [
    ...(figures.length > 0 ? ["", ...markdown.factLines("Figure", figures)] : []),
    ...(groups ? ["", ...markdownGroups(groups)] : []),
    ...(chart ? ["", ...markdownChart(chart, clock)] : []),
  ]);
}

function markdownGroups({ columns, omitted }: GroupTable): string[] {
  const rows = columns[0]?.texts.map((_, row) => columns.map(({ texts }) => texts[row] ?? "")) ?? [];
  return [...markdown.tableLines(columns, rows), ...(omitted === "" ? [] : ["", omitted])];
}

/** A chart needs no escapes: its labels are times. */
function markdownChart(chart: Chart, { timeZone }: Clock): string[] {
  const lines = chartLines(chart, terminal.screenOf({ width: WIDTH }));
  const hatched = chart.unsearched.includes(true) ? [HATCHED] : [];
  return [`**${markdown.escapeMarkdown(`${chart.title} (${timeZone})`)}**`, "", "```text", ...lines, ...hatched, "```"];
}
