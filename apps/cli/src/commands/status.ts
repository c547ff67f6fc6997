import { columns, formatAgo, formatCount, formatDuration, type Summary, summarize } from "@media-ops/formatters";
import { clean } from "@media-ops/formatters/terminal";
import { isCapped, type LogEntryOf, type LogKind, parseTimestamp } from "@media-ops/sdk";
import type { CommandNamed } from "../language.js";
import { connect, type Session } from "../session.js";

const HOUR = 3_600_000;

/** How one log stands. */
interface LogStatus {
  kind: LogKind;
  /** When its newest entry was made, in milliseconds since 1970. */
  newest?: number;
  /** What the last hour says. */
  lastHour: Summary;
  /** Whether there may be more in the last hour than was listed. */
  isCapped: boolean;
}

/** `media status`: whether the service answers and how fast, when each log last got an entry, and what fails now. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const { client, project, baseUrl, from } = await connect(session);
  const project_id = command.in ?? project;
  const look = async (kind: LogKind): Promise<LogStatus> => {
    return stateOf(kind, await client.logs.list(kind, { project_id }, { signal: world.signal }), screen.now);
  };
  const started = performance.now();
  const sessions = await look("sessions");
  const answeredInMs = Math.round(performance.now() - started);
  const others = await Promise.all((["connections", "api", "media-api", "webhooks"] as const).map(look));
  const logs = [sessions, ...others];
  if (flags.json) return print(JSON.stringify({ baseUrl, from, answeredInMs, logs }));
  print(`✓ ${clean(baseUrl)} answered in ${formatDuration(answeredInMs)}, asked with the key of ${clean(from)}.`);
  for (const log of logs) print(words(log, screen.now));
}

function stateOf(kind: LogKind, entries: readonly LogEntryOf<LogKind>[], now: number): LogStatus {
  const timeOf = ({ timestamp }: LogEntryOf<LogKind>) => parseTimestamp(timestamp)?.epochMilliseconds ?? 0;
  const recent = entries.filter((entry) => timeOf(entry) > now - HOUR);
  const [first] = entries;
  return {
    kind,
    ...(first && { newest: timeOf(first) }),
    lastHour: summarize(kind, recent, { since: now - HOUR, until: now }),
    isCapped: isCapped(recent),
  };
}

function words({ kind, newest, lastHour, isCapped: isMore }: LogStatus, now: number): string {
  const { title, many, one } = columns[kind];
  if (newest === undefined) return `– ${title}: empty.`;
  const { count, failures } = lastHour;
  const amount = `${isMore ? "more than " : ""}${formatCount(count)} ${count === 1 ? one : many} in the last hour`;
  const failed = failures && failures.count > 0 ? `, ${formatCount(failures.count)} of them failed` : "";
  return `${failed ? "▲" : "✓"} ${title}: newest ${formatAgo(newest, now)}, ${amount}${failed}${worst(failures)}.`;
}

/** What a failing log fails with: the most frequent status, and where. */
function worst(failures: Summary["failures"]): string {
  const [status] = failures?.byStatus ?? [];
  const [where] = failures?.where ?? [];
  if (!status || !where) return "";
  const how = status.status === 0 ? "without an answer" : `with ${status.status}`;
  return `, most often ${how}; first of all ${clean(where.name)}`;
}
