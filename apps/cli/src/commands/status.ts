import { kinds } from "@media-ops/commands";
import { columns, formatAgo, formatCount, formatDuration, type Summary, summarize } from "@media-ops/formatters";
import { clean, textWidth } from "@media-ops/formatters/terminal";
import { isCapped, type LogEntryOf, type LogKind, parseTimestamp } from "@media-ops/sdk";
import { connect } from "../connect.js";
import type { CommandNamed } from "../language.js";
import { harmlessJson } from "../screen/harmless.js";
import { wrap } from "../screen/wrap.js";
import type { Session } from "../session.js";

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
  const { client, project, address, from, wait } = await connect(session);
  const project_id = command.in ?? project;
  const look = async (kind: LogKind): Promise<LogStatus> => {
    return stateOf(kind, await client.logs.list(kind, { project_id }, { signal: world.signal }), screen.now);
  };
  const started = performance.now();
  // One alone, so that what is told is how long an answer takes, and not how long all of them.
  const first = await wait(Promise.all(kinds.slice(0, 1).map(look)));
  const answeredInMs = Math.round(performance.now() - started);
  const logs = [...first, ...(await wait(Promise.all(kinds.slice(1).map(look))))];
  if (flags.json) return print(harmlessJson(JSON.stringify({ baseUrl: address, from, answeredInMs, logs })));
  const lines = [
    `✓ ${address} answered in ${formatDuration(answeredInMs)}, asked with the key of ${from}.`,
    ...logs.map((log) => words(log, screen.now)),
  ];
  // Under the words, not under the mark.
  for (const line of lines) print(wrap(line, { width: screen.width, indent: 2, widthOf: textWidth }));
}

function stateOf(kind: LogKind, entries: readonly LogEntryOf<LogKind>[], now: number): LogStatus {
  const timed = entries.flatMap((entry) => {
    const time = parseTimestamp(String(entry?.timestamp))?.epochMilliseconds;
    return time === undefined ? [] : { entry, time };
  });
  const recent = timed.filter(({ time }) => time > now - HOUR).map(({ entry }) => entry);
  const [first] = timed;
  return {
    kind,
    ...(first && { newest: first.time }),
    lastHour: summarize(kind, recent, { since: now - HOUR, until: now }),
    isCapped: isCapped(recent),
  };
}

function words({ kind, newest, lastHour, isCapped: isMore }: LogStatus, now: number): string {
  const { title, many, one } = columns[kind];
  if (newest === undefined) return `– ${title}: empty.`;
  const { count, failures } = lastHour;
  const amount = `${isMore ? "at least " : ""}${formatCount(count)} ${count === 1 ? one : many} in the last hour`;
  const failed = failures && failures.count > 0 ? `, ${formatCount(failures.count)} of them failed` : "";
  return `${failed ? "▲" : "✓"} ${title}: newest ${formatAgo(newest, now)}, ${amount}${failed}${worst(failures)}.`;
}

/** What a failing log fails with: the most frequent status, and where. */
function worst(failures: Summary["failures"]): string {
  const [status] = failures?.byStatus ?? [];
  const [where] = failures?.where ?? [];
  if (!status || !where) return "";
  const how = status.status === 0 ? "without an answer" : `with ${status.status}`;
  return `, most often ${how}; worst: ${clean(where.name)}`;
}
