import { type LogCounts, type LogKind, readTimestamp } from "@media-ops/contract";
import type { LogWhere } from "@media-ops/sdk";
import { fieldOf, isFailure, KEPT, keptOf, SECOND } from "./entries/index.js";
import {
  type CountQuestion,
  ifCounted,
  isoOf,
  type ListQuestion,
  type LogService,
  MOST_LISTED,
  reachOf,
} from "./service.js";
import {
  countsIn,
  fieldsByUse,
  type GroupField,
  MOST_GROUPS,
  type Periods,
  periodsOf,
  type Summary,
  summarize,
  summaryOf,
  TOP,
} from "./summary.js";

/** What is summarized. */
export interface AskSummaryOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** The zone in which periods start at round times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
  project_id?: string | undefined;
  /** The start of the period, in milliseconds since 1970. @default the oldest matching entry's time */
  since?: number | undefined;
  /** Its excluded end. @default now */
  until?: number | undefined;
  where?: LogWhere | undefined;
  /** The fields to group by. @default none */
  by?: readonly GroupField[] | undefined;
  /** The number of groups. @default 10 */
  top?: number | undefined;
}

/**
 * Asks a service for a summary: it counts the whole period and the one before. If the service has no counts, the
 * entries that it lists are summarized, and the summary says how far they reach.
 *
 * @throws {RangeError} for an unknown time zone.
 */
export async function askSummary(service: LogService, kind: LogKind, options: AskSummaryOptions): Promise<Summary> {
  const { isWithoutTools, where } = withoutTools(kind, options.where);
  const only = failedIn(where);
  const asked = { ...options, where };
  const found = (await ifCounted(() => counted(service, kind, asked))) ?? (await listed(service, kind, asked));
  return {
    ...found,
    ...(only !== undefined && { only: only ? "failed" : "ok" }),
    ...(isWithoutTools && { isWithoutTools }),
  };
}

/**
 * The conditions for an overview of the API log, which would otherwise consist of the calls of the tools that show it.
 * A condition on `from` or `url` of the caller's own is kept.
 */
function withoutTools(kind: LogKind, where: LogWhere | undefined): { where?: LogWhere; isWithoutTools: boolean } {
  const isOverview = kind === "api" && fieldOf(where, "from") === undefined && fieldOf(where, "url") === undefined;
  if (isOverview) return { where: { ...where, from: { not: { like: "*" } } }, isWithoutTools: true };
  return { ...(where && { where }), isWithoutTools: false };
}

/** What an overview of a log asks, and the mark of its summary. */
export function overviewOf(kind: LogKind, project_id: string | undefined) {
  const { where, isWithoutTools } = withoutTools(kind, undefined);
  return {
    question: { ...(project_id !== undefined && { project_id }), ...(where && { where }) },
    mark: isWithoutTools && { isWithoutTools },
  };
}

/** Whether the conditions allow failed entries only (true), or others only (false). */
function failedIn(where: LogWhere | undefined): boolean | undefined {
  if (!where) return undefined;
  if ("outcome" in where && where.outcome) return where.failed ?? failedByOutcome(where.outcome);
  if (!("status" in where || "failed" in where)) return undefined;
  return where.failed ?? ("status" in where && where.status ? failedBy(where.status) : undefined);
}

function failedByOutcome({ eq, not }: NonNullable<LogWhere<"events">["outcome"]>): boolean | undefined {
  if (not?.eq === "ok") return true;
  const isFailed = new Set([eq ?? []].flat().map((outcome) => outcome !== "ok"));
  return isFailed.size === 1 ? isFailed.has(true) : undefined;
}

function failedBy({
  eq,
  gt,
  gte,
  lt,
  lte,
  any = [],
  all = [],
}: NonNullable<LogWhere<"webhooks">["status"]>): boolean | undefined {
  if ((gte ?? 0) >= FAILS_FROM || (gt ?? 0) >= FAILS_FROM - 1) return true;
  // No answer is the status 0, and a failure.
  const isAnswered = (gte ?? 0) > 0 || (gt ?? -1) >= 0;
  if (isAnswered && ((lt ?? Infinity) <= FAILS_FROM || (lte ?? Infinity) < FAILS_FROM)) return false;
  const listed = [eq ?? []].flat().map((status) => isFailure(status, FAILS_FROM));
  const sameIn = (outcomes: readonly (boolean | undefined)[]) =>
    new Set(outcomes).size === 1 ? outcomes[0] : undefined;
  return sameIn(listed) ?? sameIn(any.map(failedBy)) ?? all.map(failedBy).find((outcome) => outcome !== undefined);
}

/** The lowest status that the service counts as failed. */
const FAILS_FROM = 400;

/** Periods as a service takes them. */
export const everyOf = ({ length, offset }: Periods) => ({
  every: length / SECOND,
  ...(offset !== 0 && { offset: Math.round(offset / SECOND) }),
});

type Asked = Omit<AskSummaryOptions, "where"> & { where?: LogWhere | undefined };

async function counted(service: LogService, kind: LogKind, asked: Asked): Promise<Summary> {
  const { now, timeZone = "UTC", project_id, where, by, top = MOST_GROUPS } = asked;
  const fields = fieldsByUse(kind);
  const question = { ...(project_id !== undefined && { project_id }), ...(where && { where }) };
  const end = asked.until ?? now;
  const oldest = asked.since ?? (await oldestIn(service, kind, { ...question, until: isoOf(end) }));
  const since = oldest ?? end - KEPT;
  const until = Math.max(end, since + 1);
  const periods = periodsOf(since, until, timeZone);
  const range = { ...question, since: isoOf(since), until: isoOf(until) };
  const isBeforeKept = keptOf({ since: 2 * since - until }, now).gone === undefined;
  const hasBefore = asked.since !== undefined && until > since && isBeforeKept;
  const [whole, before, channels] = await Promise.all([
    service.count(kind, {
      ...range,
      ...everyOf(periods),
      ...(by && { by: [...by], top }),
    }),
    hasBefore ? service.count(kind, { ...question, since: isoOf(2 * since - until), until: range.since }) : undefined,
    // If entries can fail, what fails is more important.
    fields.channel && !fields.canFail ? countedBy(service, kind, range, "channel_id") : undefined,
  ]);
  const failing = whole.total.failed
    ? await askFailing(service, kind, { ...range, where: { ...where, failed: true } })
    : {};
  return summaryOf(
    kind,
    {
      whole: countsIn(asKept(whole, { since, until }, now)),
      before: before && countsIn(before),
      channels,
      ...failing,
    },
    { bounds: periods.bounds, by },
  );
}

/** The time from which on entries are kept, if a period begins before it: how many there were then is not known. */
function keptFrom(period: { since?: number | undefined; until?: number | undefined }, now: number): number | undefined {
  const kept = keptOf(period, now);
  return kept.gone && kept.since;
}

function asKept(counts: LogCounts, period: { since: number; until: number }, now: number): LogCounts {
  const kept = keptFrom(period, now);
  if (kept === undefined) return counts;
  const counted = Math.min(Math.max(readTimestamp(counts.since) ?? kept, kept), period.until);
  return { ...counts, since: isoOf(counted), complete: false };
}

async function oldestIn(service: LogService, kind: LogKind, question: ListQuestion): Promise<number | undefined> {
  const { data } = await service.list(kind, { ...question, order: "oldest", limit: 1 });
  return readTimestamp(fieldOf(data[0], "timestamp"));
}

/** What failed: by status or reason, by place, client and node, and the first one. */
export async function askFailing(service: LogService, kind: LogKind, question: CountQuestion) {
  const { cause, culprit, node } = fieldsByUse(kind);
  const [causes, culprits, nodes, { data }] = await Promise.all([
    countedBy(service, kind, question, cause),
    countedBy(service, kind, question, culprit),
    countedBy(service, kind, question, node),
    service.list(kind, { ...question, order: "oldest", limit: 1 }),
  ]);
  return { causes, culprits, nodes, firstFailed: readTimestamp(fieldOf(data[0], "timestamp")) };
}

/** More names than are shown. */
const MOST_NAMES = 2 * TOP;

/** Counts entries by one field; `undefined` if a service does not count by it. */
export async function countedBy(
  service: LogService,
  kind: LogKind,
  question: CountQuestion,
  field: string | undefined,
) {
  const by = GROUP_FIELDS.find((one) => one === field);
  return by && countsIn(await service.count(kind, { ...question, by: [by], top: MOST_NAMES }));
}

/** The fields of columns by which a service counts. */
const GROUP_FIELDS = [
  "channel_id",
  "client_id",
  "media_target",
  "node_name",
  "reason",
  "status",
  "type",
  "url",
] as const satisfies GroupField[];

async function listed(service: LogService, kind: LogKind, asked: Asked): Promise<Summary> {
  const { now, timeZone, project_id, where, since, until, by } = asked;
  const answer = await service.list(kind, {
    ...(project_id !== undefined && { project_id }),
    ...(where && { where }),
    ...(since !== undefined && { since: isoOf(since) }),
    ...(until !== undefined && { until: isoOf(until) }),
    limit: MOST_LISTED,
  });
  const end = until ?? (since === undefined ? undefined : now);
  const searchedTo = reachOf(answer, now) ?? keptFrom({ since, until }, now);
  return summarize(kind, answer.data, { since, until: end, timeZone, by, searchedTo });
}
