import { type LogKind, readTimestamp } from "@media-ops/contract";
import { askFailing, overviewOf } from "./ask-summary.js";
import { checkedNow, failsFrom, fieldOf, HOUR, isOptionalLog, TIME_FIELD } from "./entries/index.js";
import { type CountQuestion, ifCounted, isoOf, type LogService, MOST_LISTED, reachOf } from "./service.js";
import { type Counts, countsIn, mostFrequent, type Summary, summarize, summaryOf, type Tally } from "./summary.js";

/**
 * The state of one log. An entry failed if its status is 400 or more, or if there was no response. In the API log it
 * failed from 500 on: 4xx means that the service refused an invalid request. An event failed if its outcome is
 * `failed`: refused clients are no failure of the service, and are counted apart.
 */
export interface LogStatus {
  kind: LogKind;
  /** The time of its newest entry in milliseconds since 1970; absent if the log is empty. */
  newest?: number;
  /** The summary of the last hour; it says whether all of the hour was searched. */
  lastHour: Summary;
  /** The clients that were refused within the last hour. Only of the event log. */
  refused?: RefusedClients;
  /** Whether the service has no such log. @default it has */
  isMissing?: true;
}

/** Refused clients. If the hour was not searched wholly, there may be more. */
export interface RefusedClients {
  /** How often a client was refused; one that tries again is counted again. */
  count: number;
  /** The reasons, most frequent first. */
  byReason: Tally[];
}

/** The state of a log that the service does not have. */
function missingStatus(kind: LogKind, options: Pick<LogStatusOptions, "now">): LogStatus {
  return { ...logStatus(kind, [], options), isMissing: true };
}

/** How the state of a log is made of its entries. */
export interface LogStatusOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /**
   * The time before which entries may be missing, in milliseconds since 1970.
   * @default the oldest entry's, if the list is as long as the service's limit
   */
  searchedTo?: number | undefined;
}

/**
 * The state of a log, from its newest entries as the service lists them.
 */
export function logStatus(kind: LogKind, entries: readonly unknown[], options: LogStatusOptions): LogStatus {
  const now = checkedNow(options.now);
  const timed = entries.flatMap((entry) => {
    const time = readTimestamp(fieldOf(entry, TIME_FIELD));
    return time === undefined ? [] : [{ entry, time }];
  });
  const recent = timed.filter(({ time }) => time > now - HOUR).map(({ entry }) => entry);
  const times = timed.map(({ time }) => time);
  const searchedTo = options.searchedTo ?? (entries.length >= MOST_LISTED ? Math.min(...times, now) : undefined);
  const hour = { since: now - HOUR, until: now, failsFrom: failsFrom(kind), refusedFails: false, searchedTo };
  return {
    kind,
    ...(times.length > 0 && { newest: Math.max(...times) }),
    lastHour: summarize(kind, recent, hour),
    ...(kind === "events" && { refused: refusedIn(recent) }),
  };
}

/** The refused clients among events. */
export function refusedIn(events: readonly unknown[]): RefusedClients {
  const { count, failures } = summarize(
    "events",
    events.filter((event) => fieldOf(event, "outcome") === "refused"),
  );
  return { count, byReason: failures?.byReason ?? [] };
}

/** Which project is asked, and when. */
export interface AskStatusOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  project_id?: string | undefined;
}

/**
 * Asks a service for the state of one log: its newest entry, and the last hour, counted. If the service has no counts,
 * the entries that it lists are summarized, and the state says whether they reach back an hour. Calls of tools such as
 * the bot are left out of the API log. The state of the event log says if the service has none.
 */
export async function askStatus(
  service: LogService,
  kind: LogKind,
  { now, project_id }: AskStatusOptions,
): Promise<LogStatus> {
  const { question, mark } = overviewOf(kind, project_id);
  const listNewest = () => service.list(kind, { ...question, limit: 1 });
  // To count a log that it does not have, a service may refuse for another reason than to list it.
  const listed = isOptionalLog(kind) ? await ifCounted(listNewest) : undefined;
  if (isOptionalLog(kind) && !listed) return missingStatus(kind, { now });
  const since = isoOf(now - HOUR);
  const isEvents = kind === "events";
  const counts = await ifCounted(() =>
    service.count(kind, { ...question, since, ...(isEvents && { by: ["outcome", "reason"] }) }),
  );
  if (!counts) {
    const answer = await service.list(kind, question);
    const status = logStatus(kind, answer.data, { now, searchedTo: reachOf(answer, now) ?? now - HOUR });
    return { ...status, lastHour: { ...status.lastHour, ...mark } };
  }
  const all = countsIn(counts);
  const { whole, refused } = isEvents ? withoutRefused(all) : { whole: all };
  const [failing, { data }] = await Promise.all([
    whole.total.failed ? failedIn(service, kind, { ...question, since }) : undefined,
    listed ?? listNewest(),
  ]);
  const newest = readTimestamp(fieldOf(data[0], "timestamp"));
  const lastHour = summaryOf(kind, { whole, ...failing }, { failsFrom: failsFrom(kind) });
  return {
    kind,
    ...(newest !== undefined && { newest }),
    lastHour: { ...lastHour, ...mark },
    ...(refused && { refused }),
  };
}

/** Counts of events by outcome and reason, in which refused clients aren't failures. */
export function withoutRefused(counts: Counts): { whole: Counts; refused: RefusedClients } {
  const groupsOf = (outcome: string) => counts.groups.filter(({ by }) => by.outcome === outcome);
  const sumOf = (outcome: string) => groupsOf(outcome).reduce((sum, { count }) => sum + count, 0);
  const byReason = groupsOf("refused").flatMap(({ by: { reason }, count }) =>
    typeof reason === "string" ? [{ name: reason, count }] : [],
  );
  return {
    whole: { ...counts, total: { ...counts.total, failed: sumOf("failed") } },
    refused: { count: sumOf("refused"), byReason: counts.complete ? mostFrequent(byReason) : [] },
  };
}

function failedIn(service: LogService, kind: LogKind, question: CountQuestion) {
  return askFailing(service, kind, { ...question, where: { ...question.where, ...conditionOf(kind) } });
}

/** The condition for failures of the service, by the rule of `LogStatus`. */
export function conditionOf(kind: LogKind) {
  if (kind === "events") return { outcome: { eq: "failed" } } as const;
  return kind === "api" ? { status: { any: [{ eq: 0 }, { gte: failsFrom(kind) }] } } : { failed: true };
}
