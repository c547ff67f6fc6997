import type { Digest, DigestDay, DigestLog, Summary } from "@media-ops/reports";
import { rowOf } from "@media-ops/reports/entries";
import { capital } from "../logs/columns.js";
import { formatCount, formatDuration, formatShare } from "../values/numbers.js";

/** What a digest says first. */
export interface Headline {
  /** ▲ if something stands out, ✓ if nothing does, ? if that is not known, – if nothing was logged. */
  mark: "▲" | "✓" | "?" | "–";
  words: string;
}

/** Fewer failures or refusals are no trend. */
export const LEAST = 10;
/** A share or a percentile of fewer entries would be misleading. */
export const LEAST_OF = 50;
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
export const baseOf = ({ count, refused = 0 }: Pick<DigestDay, "count" | "refused">): number => count - refused;

/** The figures of a day that the log's summary has. */
export function figuresOf({ refused, minutes }: DigestLog, day: Summary): DigestDay {
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

/** "3×", "3.1×" */
export const timesText = (ratio: number): string =>
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
