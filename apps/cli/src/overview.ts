import { kinds } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { askStatus, askSummary, countEntries, type Summary, wholeOf } from "@media-ops/reports";
import { connect } from "./connect.js";
import type { CommandNamed } from "./language.js";
import { harmlessJson } from "./output.js";
import { headingOf, questionOf, serviceOf } from "./reading.js";
import type { Session } from "./session.js";

/** `media summary`: summarizes the matching entries of the whole period. */
export async function summary(command: CommandNamed<"summary">, session: Session): Promise<void> {
  const { flags, screen, print } = session;
  const connected = await connect(session);
  const question = questionOf(command, connected);
  const { where, ...period } = question;
  const { project_id } = period;
  const { kind, since, until, by } = command;
  const service = serviceOf(connected, session);
  const [summary, of] = await Promise.all([
    askSummary(service, kind, { ...screen, project_id, since, until, where, by }),
    where && !flags.json ? countEntries(service, kind, period) : undefined,
  ]);
  if (flags.json) return print(harmlessJson(JSON.stringify({ ...summary, ...searchedTo(summary) })));
  // An entry may stand for several calls or refusals, which a summary counts one by one.
  const figures = { found: summary.count, of: wholeOf(of)?.count, isAtLeast: !summary.complete };
  const title = `Summary of ${headingOf(command, figures, session, connected.project)}`;
  print(terminal.formatSummary(summary, { ...screen, title }));
}

/** `media status`: prints whether the service answers, the newest entry of each log, and recent failures. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { flags, screen, print } = session;
  const connected = await connect(session);
  const { project, address, from } = connected;
  const service = serviceOf(connected, session);
  const { now } = screen;
  const statusOf = (kind: (typeof kinds)[number]) =>
    askStatus(service, kind, { now, project_id: command.in ?? project });
  const started = performance.now();
  // The first log is read alone, to measure the time of one answer.
  const first = await Promise.all(kinds.slice(0, 1).map(statusOf));
  const answeredInMs = Math.round(performance.now() - started);
  const statuses = [...first, ...(await Promise.all(kinds.slice(1).map(statusOf)))];
  if (!flags.json) return print(terminal.formatStatus(statuses, { address, answeredInMs, askedWith: from }, screen));
  const logs = statuses.map((log) => ({ ...log, complete: log.lastHour.complete, ...searchedTo(log.lastHour) }));
  const complete = logs.every((log) => log.complete);
  print(harmlessJson(JSON.stringify({ baseUrl: address, from, answeredInMs, complete, logs })));
}

/** The time back to which an incomplete summary reaches. */
function searchedTo({ complete, period }: Summary): { searched_to?: string } {
  return complete || !period ? {} : { searched_to: new Date(period.from).toISOString() };
}
