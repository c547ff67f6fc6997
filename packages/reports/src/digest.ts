import type { LogKind } from "@media-ops/contract";
import { countedBy, everyOf, overviewOf } from "./ask-summary.js";
import {
  checkedNow,
  DAY,
  failsFrom,
  HOUR,
  isFailure,
  isOptionalLog,
  KINDS,
  MINUTE,
  offsetsIn,
} from "./entries/index.js";
import { ifCounted, isoOf, type LogService, MOST_LISTED, reachOf } from "./service.js";
import { conditionOf, type RefusedClients, refusedIn, withoutRefused } from "./status.js";
import {
  type Bucket,
  type Counts,
  countsIn,
  fieldsByUse,
  type Period,
  type Periods,
  type Summary,
  summarize,
  summaryOf,
} from "./summary.js";

/** What the logs had in 24 hours, against the days before. */
export interface Digest {
  period: Period;
  /** The logs that the service has. */
  logs: DigestLog[];
}

/**
 * 24 hours of one log. What failed is decided as in `LogStatus`: calls of the API fail from 500 on, and refused clients
 * are counted apart.
 */
export interface DigestLog {
  kind: LogKind;
  /** The 24 hours; it says whether all of them were counted. Absent if the log gave no answer. */
  day?: Summary;
  /** The clients that were refused. Only of the event log. */
  refused?: RefusedClients;
  /** The sum of the durations in minutes, for kinds that have them, if they were counted. */
  minutes?: number;
  /** The 24 hours before; absent if they are not known. */
  dayBefore?: DigestDay;
  /** The same 24 hours a week before; absent if they are not known. */
  weekBefore?: DigestDay;
  /** Why the log gave no answer. */
  error?: unknown;
}

/** The figures of 24 hours with which others are compared. */
export interface DigestDay {
  count: number;
  /** Only for kinds with a status or an outcome. */
  failed?: number;
  /** How often clients were refused. Only of the event log. */
  refused?: number;
  /** 95 of 100 processing times were at most this, in milliseconds. */
  p95?: number;
  minutes?: number;
  bytes?: number;
}

/** Which day, of which project. */
export interface AskDigestOptions {
  /** The end of the 24 hours, to the minute, in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** The zone in which listed entries are put into periods, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
  project_id?: string | undefined;
  /** The logs. @default all */
  kinds?: readonly LogKind[] | undefined;
}

/**
 * Asks a service for the 24 hours before `now`, and for the days with which they are compared: at most four counts of
 * each log at once, one log after another. If the service has no counts, the entries that it lists are summarized, and
 * nothing is compared. A log that fails to answer has its error in the digest; one that the service does not have is
 * left out.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export async function askDigest(service: LogService, options: AskDigestOptions): Promise<Digest> {
  const { timeZone = "UTC", project_id, kinds = KINDS } = options;
  const now = checkedNow(options.now);
  // Throws for an unknown zone, before it is taken for the failure of a log.
  offsetsIn(timeZone);
  const to = Math.floor(now / MINUTE) * MINUTE;
  const period = { from: to - DAY, to };
  const periods = partsOf(period);
  const logs: DigestLog[] = [];
  // One after another: nobody waits for a digest, and more calls at once would delay those of people.
  for (const kind of kinds) {
    const log = await askLog(service, kind, { project_id, period, periods, timeZone });
    if (log) logs.push(log);
  }
  return { period, logs };
}

/** The length of a part: a chart in Slack has room for twelve of them, and not for 24. */
const PART = 2 * HOUR;

/** The parts of a period, which begin with it, so that all are whole. */
function partsOf({ from, to }: Period): Periods {
  const bounds = Array.from({ length: (to - from) / PART + 1 }, (_, at) => from + at * PART);
  return { length: PART, offset: (PART - (from % PART)) % PART, bounds };
}

interface Asked {
  project_id: string | undefined;
  period: Period;
  periods: Periods;
  timeZone: string;
}

/** One log; `undefined` if the service does not have it. */
async function askLog(service: LogService, kind: LogKind, asked: Asked): Promise<DigestLog | undefined> {
  try {
    const counted = await ifCounted(() => countedLog(service, kind, asked));
    if (counted) return counted;
    return isOptionalLog(kind)
      ? await ifCounted(() => listedLog(service, kind, asked))
      : await listedLog(service, kind, asked);
  } catch (error) {
    return (await isMissing(service, kind, asked)) ? undefined : { kind, error };
  }
}

/** To count a log that it does not have, a service may refuse for another reason than to list it. */
async function isMissing(service: LogService, kind: LogKind, asked: Asked): Promise<boolean> {
  if (!isOptionalLog(kind)) return false;
  try {
    const { question } = overviewOf(kind, asked.project_id);
    return (await ifCounted(() => service.list(kind, { ...question, limit: 1 }))) === undefined;
  } catch {
    return false;
  }
}

/** As many as a count may have: all statuses, or all outcomes with their reasons. */
const MOST_CAUSES = 1000;

async function countedLog(service: LogService, kind: LogKind, asked: Asked): Promise<DigestLog> {
  const { period, periods, project_id } = asked;
  const { canFail, culprit } = fieldsByUse(kind);
  const { question, mark } = overviewOf(kind, project_id);
  const [every, { bounds }] = [everyOf(periods), periods];
  const dayOf = (ago: number) => ({ since: isoOf(period.from - ago), until: isoOf(period.to - ago) });
  const byCause = canFail && { by: [...causesOf(kind)], top: MOST_CAUSES };
  const count = async (ago: number, more?: typeof every): Promise<Counts> => {
    const counts = await service.count(kind, { ...question, ...dayOf(ago), ...byCause, ...more });
    return asWhole(countsIn(counts), period.from - ago);
  };
  const failed = { ...question, ...every, ...dayOf(0), where: { ...question.where, ...conditionOf(kind) } };
  const [all, dayBefore, weekBefore, failing] = await Promise.all([
    count(0, every),
    orUnknown(count(DAY)),
    orUnknown(count(7 * DAY)),
    canFail ? orUnknown(countedBy(service, kind, failed, culprit)) : undefined,
  ]);
  const { whole, causes, refused } = byRule(kind, all);
  const day = summaryOf(kind, { whole, causes, culprits: failing }, { bounds, failsFrom: failsFrom(kind) });
  const failedOverTime = failing && summaryOf(kind, { whole: failing }, { bounds }).overTime;
  return {
    kind,
    day: { ...day, ...(causes && { overTime: withFailed(day.overTime, failedOverTime) }), ...mark },
    ...(refused && { refused }),
    ...(all.total.minutes !== undefined && { minutes: all.total.minutes }),
    ...(dayBefore?.complete && { dayBefore: figuresOf(kind, dayBefore) }),
    ...(weekBefore?.complete && { weekBefore: figuresOf(kind, weekBefore) }),
  };
}

/** The fields that explain what failed, among all entries. */
const causesOf = (kind: LogKind) => (kind === "events" ? (["outcome", "reason"] as const) : (["status"] as const));

/** What only adds to the 24 hours may be unknown. */
async function orUnknown<T>(counts: Promise<T>): Promise<T | undefined> {
  try {
    return await counts;
  } catch {
    return undefined;
  }
}

/** Counts that begin later than asked for, as before the days that a service keeps, are not whole. */
function asWhole(counts: Counts, since: number): Counts {
  const { from = since } = counts.period ?? {};
  return { ...counts, complete: counts.complete && from < since + MINUTE };
}

/** The periods of all entries, with the number of failures from their own count; none if that is not known. */
function withFailed(all: readonly Bucket[], failed: readonly Bucket[] | undefined): Bucket[] {
  if (!failed) return [];
  return all.map((bucket, at) => {
    const { count = 0, complete = false } = failed[at] ?? {};
    return { ...bucket, failed: count, complete: bucket.complete && complete };
  });
}

/** Counts by cause, in which only failures of the service failed. */
function byRule(kind: LogKind, counts: Counts): { whole: Counts; causes?: Counts; refused?: RefusedClients } {
  if (!fieldsByUse(kind).canFail) return { whole: counts };
  const { whole, refused } = kind === "events" ? withoutRefused(counts) : { whole: counts };
  const groups = counts.groups.filter(({ by: { status, outcome } }) =>
    kind === "events" ? outcome === "failed" : typeof status === "number" && isFailure(status, failsFrom(kind)),
  );
  const failed = groups.reduce((sum, { count }) => sum + count, 0);
  const causes = { ...counts, groups, total: { ...counts.total, count: failed } };
  return { whole, causes, ...(refused && { refused }) };
}

function figuresOf(kind: LogKind, counts: Counts): DigestDay {
  const { total } = counts;
  const { causes, refused } = byRule(kind, counts);
  const { elapsed, bytes } = fieldsByUse(kind);
  return {
    count: total.count,
    ...(causes && { failed: causes.total.count }),
    ...(refused && { refused: refused.count }),
    ...(elapsed && total.elapsed_ms && { p95: total.elapsed_ms.p95 }),
    ...(total.minutes !== undefined && { minutes: total.minutes }),
    ...(bytes.length > 0 && { bytes: (total.received_bytes ?? 0) + (total.sent_bytes ?? 0) }),
  };
}

/** The log of a service without counts: what it lists, which is compared with nothing. */
async function listedLog(service: LogService, kind: LogKind, asked: Asked): Promise<DigestLog> {
  const { period, timeZone, project_id } = asked;
  const { question, mark } = overviewOf(kind, project_id);
  const range = { since: isoOf(period.from), until: isoOf(period.to) };
  const answer = await service.list(kind, { ...question, ...range, limit: MOST_LISTED });
  const day = summarize(kind, answer.data, {
    since: period.from,
    until: period.to,
    searchedTo: reachOf(answer, period.to),
    failsFrom: failsFrom(kind),
    refusedFails: false,
    timeZone,
  });
  return {
    kind,
    day: { ...day, ...mark },
    ...(kind === "events" && { refused: refusedIn(answer.data) }),
  };
}
