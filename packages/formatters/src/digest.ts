import type { Digest, DigestDay, DigestLog, Summary } from "@media-ops/reports";
import { failsFrom, rowOf } from "@media-ops/reports/entries";
import { type Chart, chartBlock, chartOf, HATCHED } from "./chart.js";
import { amountOf, capital, logNameOf } from "./logs.js";
import * as slack from "./slack/parts.js";
import { failureWords, refusedWords } from "./status.js";
import { WITHOUT_TOOLS } from "./summary.js";
import { formatBytes, formatCount, formatDuration, formatMinutes, formatShare } from "./values/numbers.js";
import { clockFor, listWords, type TimeOptions } from "./values/words.js";

/** "No answer: event log. Only partly counted: webhook log and API log." */
function incompleteWords({ logs }: Digest): string {
  // The headline says that.
  if (logs.every(({ day }) => day === undefined)) return "";
  const named = (words: string, some: readonly DigestLog[]) =>
    some.length === 0 ? "" : `${words}: ${listWords(some.map(({ kind }) => logNameOf(kind)))}.`;
  return [
    named(
      "No answer",
      logs.filter(({ day }) => day === undefined),
    ),
    named(
      "Only partly counted",
      logs.filter(({ day }) => day?.complete === false),
    ),
  ]
    .filter(Boolean)
    .join(" ");
}

function logWords(log: DigestLog): string {
  const { day } = log;
  if (!day) return "no answer";
  const sentences = [trafficWords(log, day), failedWords(log, day), elapsedWords(log, day)];
  return sentences
    .filter((sentence) => sentence !== "")
    .map((sentence, at) => `${at === 0 ? sentence : capital(sentence)}.`)
    .join(" ");
}

/** "12,345 connections, ▲ 12% on the day before, ▼ 3% on a week before; 1.28 GB (1.1 GB the day before)" */
function trafficWords(log: DigestLog, day: Summary): string {
  const { kind, dayBefore, weekBefore } = log;
  const sums = sumWords(log, day);
  if (!day.complete) return day.count === 0 ? "not known" : `at least ${amountOf(kind, day.count)}${sums}`;
  const amount = day.count === 0 ? `no ${rowOf(kind).many}` : amountOf(kind, day.count);
  return `${amount}, ${againstBoth(day, dayBefore, weekBefore)}${sums}`;
}

function againstBoth(day: Summary, dayBefore: DigestDay | undefined, weekBefore: DigestDay | undefined): string {
  if (!dayBefore && !weekBefore) return "the days before are not known";
  if (dayBefore?.count === day.count && weekBefore?.count === day.count) {
    return `as ${day.count === 0 ? "" : "many as "}on the day before and a week before`;
  }
  return [againstWords(day, dayBefore, "the day before"), againstWords(day, weekBefore, "a week before")].join(", ");
}

function againstWords({ count }: Summary, before: DigestDay | undefined, name: string): string {
  if (!before) return `${name} is not known`;
  if (before.count === count) return `as many as ${name}`;
  if (before.count === 0) return `none ${name}`;
  if (count === 0) return `${formatCount(before.count)} ${name}`;
  if (count >= 2 * before.count) return `▲ ${timesText(count / before.count)} ${name}`;
  const change = formatShare(Math.abs(count - before.count), before.count);
  return `${count > before.count ? "▲" : "▼"} ${change} on ${name}`;
}

/** "; 52 h in total (48 h the day before), 1.28 TB (1.1 TB the day before)" */
function sumWords(log: DigestLog, day: Summary): string {
  const { minutes, bytes } = figuresOf(log, day);
  const before = day.complete ? log.dayBefore : undefined;
  const sums = [
    minutes !== undefined &&
      `${formatMinutes(minutes)} in total${beforeWords([minutes, before?.minutes], formatMinutes)}`,
    bytes !== undefined && `${formatBytes(bytes)}${beforeWords([bytes, before?.bytes], formatBytes)}`,
  ].filter((text) => text !== false);
  return day.count === 0 || sums.length === 0 ? "" : `; ${sums.join(", ")}`;
}

function beforeWords([now, before]: [number, number | undefined], write: (value: number) => string): string {
  if (before === undefined) return "";
  return write(now) === write(before) ? " (as the day before)" : ` (${write(before)} the day before)`;
}

/** "148 failed (1.2%; 0.4% the day before), most often with 503; worst: hooks.example/media" */
function failedWords(log: DigestLog, day: Summary): string {
  const { kind, refused } = log;
  const { failed } = figuresOf(log, day);
  if (failed === undefined || day.count === 0) return "";
  const before = day.complete ? log.dayBefore : undefined;
  const what = kind === "events" ? " connections" : "";
  const refusals = refusedWords({ lastHour: day, ...(refused && { refused }) });
  const refusedBefore =
    refused?.count && before?.refused !== undefined ? `, ${formatCount(before.refused)} the day before` : "";
  const amount = `${day.complete ? "" : "at least "}${formatCount(failed)}${what} failed`;
  const none = day.complete
    ? `none failed${before?.failed ? ` (${formatCount(before.failed)} the day before)` : ""}`
    : "";
  const share = shareWords(log, day);
  const why = share === "" ? failureWords(day) : failureWords(day).replace(/^ /, ", ");
  const fails = failed === 0 ? none : `${amount}${share}${why}`;
  return `${fails}${refusals}${refusedBefore}`.replace(/^; /, "");
}

/** " (1.2%; 0.4% the day before)", or numbers if a percentage would be one of few. */
function shareWords(log: DigestLog, day: Summary): string {
  const { dayBefore: before } = log;
  if (!day.complete) return "";
  const now = shareText(figuresOf(log, day));
  const then =
    before?.failed === undefined ? "" : `${(now && shareText(before)) || formatCount(before.failed)} the day before`;
  const parts = [now, then].filter(Boolean);
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

function shareText(day: DigestDay): string {
  const { failed = 0 } = day;
  return failed < LEAST || baseOf(day) < LEAST_OF ? "" : formatShare(failed, baseOf(day));
}

/** "95% took at most 301 ms (84 ms the day before)" */
function elapsedWords({ dayBefore }: DigestLog, { complete, elapsed }: Summary): string {
  if (!complete || !elapsed) return "";
  return `95% took at most ${formatDuration(elapsed.p95)}${beforeWords([elapsed.p95, dayBefore?.p95], formatDuration)}`;
}

/** The traffic of the log with the most failures or, if few entries failed, of the connections. */
function chartOfDigest({ logs }: Digest, timeZone: string): Chart | undefined {
  const days = logs.flatMap(({ day }) => (day && day.count > 0 && day.overTime.length > 1 ? [day] : []));
  const failedIn = ({ failures }: Summary): number => failures?.count ?? 0;
  const [worst] = [...days].sort((one, other) => failedIn(other) - failedIn(one));
  if (!worst || failedIn(worst) < LEAST) {
    const connections = days.find(({ kind }) => kind === "connections");
    return connections && chartOf(connections, "entries", timeZone);
  }
  const { kind } = worst;
  // Refused clients and invalid requests aren't failures of the service, but they did not succeed either.
  const isMixed = kind === "events" || failsFrom(kind) !== 400;
  if (!isMixed) return chartOf(worst, "entries", timeZone);
  const overTime = worst.overTime.map((bucket) => ({ ...bucket, count: bucket.failed }));
  return chartOf({ ...worst, only: "failed", overTime }, "entries", timeZone);
}

/** What a digest says first. */
export interface Headline {
  /** ▲ if something stands out, ✓ if nothing does, ? if that is not known, – if nothing was logged. */
  mark: "▲" | "✓" | "?" | "–";
  words: string;
}

/** Fewer failures or refusals aren't a trend. */
const LEAST = 10;
/** A share or a percentile of fewer entries would be misleading. */
const LEAST_OF = 50;
/** Less traffic varies by chance. */
const LEAST_TRAFFIC = 100;
/** What has grown by this factor stands out. */
const FACTOR = 2;
/** A share of failures that stands out whatever it was before. */
const HIGH = 0.05;
/** Shorter times are not slow, whatever they were before. */
const SLOW_MS = 100;
/** More would be no headline. */
const MOST_NAMED = 4;

/** Whether anything stands out in a digest. Of what is not known, nothing is said to be well. */
export function headlineOf({ logs }: Digest): Headline {
  const failures = logs.flatMap(failuresOf);
  const traffic = logs.flatMap((log) => trafficOf(log).map((words) => ({ kind: log.kind, words })));
  // Most logs follow the number of connections.
  const [ofTraffic] = [...traffic.filter(({ kind }) => kind === "connections"), ...traffic];
  const all = [
    ...failures.filter(({ isNew }) => isNew).map(({ words }) => words),
    ...failures.filter(({ isNew }) => !isNew).map(({ words }) => words),
    ...logs.flatMap(refusalsOf),
    ...logs.flatMap(slownessOf),
    ...(ofTraffic ? [ofTraffic.words] : []),
  ];
  if (all.length > 0) {
    const more = all.length - MOST_NAMED;
    const named = all.slice(0, MOST_NAMED).map((words) => `${capital(words)}.`);
    return { mark: "▲", words: [...named, ...(more > 0 ? [`${formatCount(more)} more below.`] : [])].join(" ") };
  }
  if (logs.every(({ day }) => day === undefined)) return { mark: "?", words: "Nothing is known: no log answered." };
  if (!logs.every(isKnown)) return { mark: "?", words: "Nothing stands out in what is known." };
  if (logs.every(({ day }) => day?.count === 0)) return { mark: "–", words: "Nothing was logged." };
  return { mark: "✓", words: "Nothing stands out." };
}

const isKnown = ({ day, dayBefore }: DigestLog): boolean => day?.complete === true && dayBefore !== undefined;

/** The entries of which a share can fail: refused clients were never connected. */
const baseOf = ({ count, refused = 0 }: Pick<DigestDay, "count" | "refused">): number => count - refused;

/** The figures of a day that the log's summary has. */
function figuresOf({ refused, minutes }: DigestLog, day: Summary): DigestDay {
  const { count, failures, elapsed, bytes } = day;
  return {
    count,
    ...(failures && { failed: failures.count }),
    ...(refused && { refused: refused.count }),
    ...(elapsed && { p95: elapsed.p95 }),
    ...(minutes !== undefined && { minutes }),
    ...(bytes.length > 0 && { bytes: bytes.reduce((sum, { total }) => sum + total, 0) }),
  };
}

const timesText = (ratio: number): string =>
  `${ratio < 10 ? Number(ratio.toFixed(1)) : formatCount(Math.round(ratio))}×`;

/** What fails of a log: of the events, connections. */
const failingOf = ({ kind }: Pick<DigestLog, "kind">): string => (kind === "events" ? "connections" : rowOf(kind).many);

/** Failures that stand out; new are those that the day before had not, or much less often. */
function failuresOf(log: DigestLog): { words: string; isNew: boolean }[] {
  const { kind, day, dayBefore: before } = log;
  if (!day?.failures || day.failures.count < LEAST) return [];
  const what = failingOf(log);
  const [failed, base] = [day.failures.count, baseOf(figuresOf(log, day))];
  const amount = `${formatCount(failed)} ${what} failed`;
  const isHigh = failed >= HIGH * base;
  if (!day.complete) return isHigh ? [{ words: `at least ${amount}`, isNew: false }] : [];
  const { failed: failedBefore = 0 } = before ?? {};
  const baseBefore = before ? baseOf(before) : 0;
  if (baseBefore > 0) {
    if (failedBefore === 0) {
      return [{ words: `${what} failed ${formatCount(failed)} times, and never on the day before`, isNew: true }];
    }
    const ratio = failed / base / (failedBefore / baseBefore);
    if (ratio >= FACTOR)
      return [{ words: `${what} failed ${timesText(ratio)} as often as on the day before`, isNew: true }];
  }
  if (!isHigh) return [];
  const isShare = kind !== "events";
  const write = isShare ? formatShare : formatCount;
  const then = baseBefore > 0 ? `, ${write(failedBefore, baseBefore)} on the day before` : "";
  return [{ words: `${isShare ? `${write(failed, base)} of the ${what} failed` : amount}${then}`, isNew: false }];
}

function refusalsOf({ day, refused, dayBefore }: DigestLog): string[] {
  const [now, before] = [refused?.count ?? 0, dayBefore?.refused];
  if (!day?.complete || before === undefined || now < LEAST) return [];
  if (before === 0) return [`clients were refused ${formatCount(now)} times, and never on the day before`];
  return now >= FACTOR * before
    ? [`clients were refused ${timesText(now / before)} as often as on the day before`]
    : [];
}

function slownessOf({ kind, day, dayBefore: before }: DigestLog): string[] {
  const [now, then] = [day?.elapsed?.p95, before?.p95];
  if (!day?.complete || !before || now === undefined || !then || Math.min(day.count, before.count) < LEAST_OF)
    return [];
  if (now < SLOW_MS || now < FACTOR * then) return [];
  const { many } = rowOf(kind);
  return [`${many} took ${timesText(now / then)} as long as on the day before: p95 is ${formatDuration(now)}`];
}

/** More or less traffic than on both days before, as far as they are known: weekends differ from other days. */
function trafficOf({ kind, day, dayBefore, weekBefore }: DigestLog): string[] {
  const known = [dayBefore, weekBefore].filter((one) => one !== undefined).map(({ count }) => count);
  if (!day?.complete || dayBefore === undefined) return [];
  const { count } = day;
  if (Math.max(count, ...known) < LEAST_TRAFFIC) return [];
  const { many } = rowOf(kind);
  const when = known.length > 1 ? "on the day before or a week before" : "on the day before";
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (count === 0 && least > 0) return [`no ${many}, but ${formatCount(dayBefore.count)} on the day before`];
  if (count >= FACTOR * most && most > 0) return [`${timesText(count / most)} as many ${many} as ${when}`];
  return count > 0 && FACTOR * count <= least
    ? [`${formatShare(least - count, least)} fewer ${many} than ${when}`]
    : [];
}

export interface SlackDigestOptions extends TimeOptions {
  /** The title, such as "Yesterday in demo". @default "Daily digest" */
  title?: string | undefined;
}

/** The longest text about one log: all of them fit into a message. */
const LOG = 1000;

/**
 * A digest as a message: what was not read, whether anything stands out, each log in a few sentences, and a chart of the
 * log with the most failures or of the connections. Slack shows the period in the zone of each reader.
 */
export function slackDigest(digest: Digest, options: SlackDigestOptions): slack.SlackMessage {
  const { timeZone } = clockFor(options);
  const [incomplete, headline, chart] = [incompleteWords(digest), headlineOf(digest), chartOfDigest(digest, timeZone)];
  const title = slack.titleOf(options.title, "Daily digest");
  const words = `${headline.mark} ${headline.words}`;
  const items = digest.logs.map((log) => [
    slack.bold(`${rowOf(log.kind).title}: `),
    slack.piece(slack.fit(logWords(log), LOG)),
  ]);
  const note = digest.logs.some(({ day }) => day?.isWithoutTools) ? WITHOUT_TOOLS : "";
  const { from, to } = digest.period;
  const span = (time: number): string => slack.dateSpan(time, "{date_short_pretty} {time}");
  const small = [
    ...(slack.isWritable(from) && slack.isWritable(to) ? [slack.mrkdwn(`From ${span(from)} to ${span(to)}`)] : []),
    ...[chart?.unsearched.includes(true) ? HATCHED : "", note].filter(Boolean).map(slack.plainText),
  ];
  return {
    blocks: [
      slack.headingBlock({ incomplete, title, words }),
      ...(items.length === 0 ? [] : [slack.bulletList(items)]),
      ...(chart ? [chartBlock(chart, timeZone)] : []),
      ...(small.length === 0 ? [] : [{ type: "context" as const, elements: small }]),
    ],
    text: slack.answerNotification({ incomplete, title, words: headline.words }),
  };
}
