import type { LogCounts, LogKind } from "@media-ops/sdk";
import {
  askFailing,
  type CountQuestion,
  ifCounted,
  isoOf,
  type LogService,
  overviewOf,
  reachOf,
} from "./ask-summary.js";
import {
  failsFrom,
  isOptionalLog,
  type LogStatus,
  logStatus,
  missingStatus,
  type RefusedClients,
} from "./log-status.js";
import { mostFrequent } from "./summary.js";
import { summaryOf } from "./summary-of.js";
import { fieldOf } from "./values/text.js";
import { HOUR, millisecondsOf } from "./values/time.js";

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
  const { whole, refused } = isEvents ? withoutRefused(counts) : { whole: counts };
  const [failing, { data }] = await Promise.all([
    whole.total.failed ? failedIn(service, kind, { ...question, since }) : undefined,
    listed ?? listNewest(),
  ]);
  const newest = millisecondsOf(fieldOf(data[0], "timestamp"));
  const lastHour = summaryOf(kind, { whole, ...failing }, { failsFrom: failsFrom(kind) });
  return {
    kind,
    ...(newest !== undefined && { newest }),
    lastHour: { ...lastHour, ...mark },
    ...(refused && { refused }),
  };
}

/** Counts of events by outcome and reason, in which refused clients are no failures. */
export function withoutRefused(counts: LogCounts): { whole: LogCounts; refused: RefusedClients } {
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
