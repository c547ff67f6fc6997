import type { LogKind } from "@media-ops/sdk";
import { askFailing, type CountQuestion, ifCounted, type LogService, reachOf, withoutTools } from "./ask-summary.js";
import { failsFrom, isOptionalLog, type LogStatus, logStatus, missingStatus } from "./log-status.js";
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
  const { where, isWithoutTools } = withoutTools(kind, undefined);
  const question = { ...(project_id !== undefined && { project_id }), ...(where && { where }) };
  // To count a log that it does not have, a service may refuse for another reason than to list it.
  const isMissing = isOptionalLog(kind) && !(await ifCounted(() => service.list(kind, { ...question, limit: 1 })));
  if (isMissing) return missingStatus(kind, { now });
  const mark = isWithoutTools && { isWithoutTools };
  const since = new Date(now - HOUR).toISOString();
  const whole = await ifCounted(() => service.count(kind, { ...question, since }));
  if (!whole) {
    const answer = await service.list(kind, question);
    const status = logStatus(kind, answer.data, { now, searchedTo: reachOf(answer, now) ?? now - HOUR });
    return { ...status, lastHour: { ...status.lastHour, ...mark } };
  }
  const [failing, { data }] = await Promise.all([
    whole.total.failed ? failedIn(service, kind, { ...question, since }) : undefined,
    service.list(kind, { ...question, limit: 1 }),
  ]);
  const newest = millisecondsOf(fieldOf(data[0], "timestamp"));
  const lastHour = summaryOf(kind, { whole, ...failing }, { failsFrom: failsFrom(kind) });
  return { kind, ...(newest !== undefined && { newest }), lastHour: { ...lastHour, ...mark } };
}

function failedIn(service: LogService, kind: LogKind, question: CountQuestion) {
  const failed =
    failsFrom(kind) === 400 ? { failed: true } : { status: { any: [{ eq: 0 }, { gte: failsFrom(kind) }] } };
  return askFailing(service, kind, { ...question, where: { ...question.where, ...failed } });
}
