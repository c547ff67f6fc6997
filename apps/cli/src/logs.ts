import { cappedNote, foundOf, kinds, matcher, type SearchResult, searchEntries } from "@media-ops/commands";
import { formatCount, type LogStatus, logStatus, summarize } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessCsv, harmlessJson, problemText } from "./output.js";
import type { Session } from "./session.js";

/** The number of entries shown to people by default; programs receive all. */
const ON_SCREEN = 50;
/** The most entries in one answer of the service. */
const FULL_BACKLOG = 1000;

/** `media logs`: prints the matching entries, newest first. */
export async function logs(command: CommandNamed<"logs">, session: Session): Promise<void> {
  const { flags, screen, world, print, write, say } = session;
  const { entries, heading, mayLackOlder } = await search(command, session);
  const style = flags.json ? "json" : (command.as ?? "table");
  const isForPeople = style === "table" || style === "compact";
  const shown = entries.slice(0, command.last ?? (isForPeople ? ON_SCREEN : undefined));

  if (style === "csv") {
    const lines = csv.formatLogs(command.kind, shown);
    // A file receives every character unchanged; a terminal would execute some.
    write(world.stdout.isTTY ? harmlessCsv(lines) : lines);
  } else if (style === "json") write(harmlessJson(jsonl.formatLogs(command.kind, shown)));
  else {
    say(heading);
    if (shown.length > 0) print(terminal.formatLogs(command.kind, shown, { ...screen, style }));
    const hidden = entries.length - shown.length;
    if (hidden > 0) say(`${formatCount(hidden)} more: add last:${entries.length}, a filter, or as:csv for a file.`);
  }
  if (mayLackOlder) say(cappedNote);
}

/** `media summary`: summarizes the matching entries. */
export async function summary(command: CommandNamed<"summary">, session: Session): Promise<void> {
  const { flags, screen, print, say } = session;
  const { entries, heading, mayLackOlder } = await search(command, session);
  const { kind, since, until } = command;
  const summed = summarize(kind, entries, { since, until, timeZone: screen.timeZone });
  if (flags.json) print(harmlessJson(JSON.stringify(summed)));
  else print(terminal.formatSummary(summed, { ...screen, title: heading }));
  if (mayLackOlder) say(cappedNote);
}

interface Found extends SearchResult<LogEntryOf<LogKind>> {
  /** The query and the number of entries found. */
  heading: string;
}

async function search(query: CommandNamed<"logs" | "summary">, session: Session): Promise<Found> {
  const { client, project, wait } = await connect(session);
  const { signal } = session.world;
  const listed: LogEntryOf<LogKind>[] = await wait(
    client.logs.list(query.kind, { project_id: query.in ?? project }, { signal }),
  );
  const result = searchEntries(query, listed);
  const words = language.describe(query, { project, ...session.screen });
  return { ...result, heading: `${words}: ${foundOf(result.entries.length, listed.length)}` };
}

/** `media status`: prints whether the service answers, the newest entry of each log, and recent failures. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const { client, project, address, from, wait } = await connect(session);
  const project_id = command.in ?? project;
  const statusOf = async (kind: LogKind): Promise<LogStatus> => {
    return logStatus(kind, await client.logs.list(kind, { project_id }, { signal: world.signal }), { now: screen.now });
  };
  const started = performance.now();
  // The first log is read alone, to measure the time of one answer.
  const first = await wait(Promise.all(kinds.slice(0, 1).map(statusOf)));
  const answeredInMs = Math.round(performance.now() - started);
  const statuses = [...first, ...(await wait(Promise.all(kinds.slice(1).map(statusOf))))];
  if (flags.json) return print(harmlessJson(JSON.stringify({ baseUrl: address, from, answeredInMs, logs: statuses })));
  print(terminal.formatStatus(statuses, { address, answeredInMs, askedWith: from }, screen));
}

/** `media follow`: prints each new matching entry, oldest first, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, write, say } = session;
  const outage = outageReporter(session);
  const { client, project } = await connect(session, { onResponse: outage.onResponse });
  const { kind, since, every } = command;
  const matches = matcher(command);
  const isJson = flags.json || command.as === "json";
  const followed = client.logs.follow(kind, {
    project_id: command.in ?? project,
    intervalMs: every,
    backlog: since === undefined ? 0 : FULL_BACKLOG,
    signal: world.signal,
    onError: outage.onError,
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C stops.`);
  for await (const { entry, gap } of followed) {
    if (gap) say("More than 1,000 new entries at once: some are missing here.");
    if (!matches(entry)) continue;
    if (isJson) write(harmlessJson(jsonl.formatLogs(kind, [entry])));
    // The time and the window's width change.
    else print(terminal.formatLogs(kind, [entry], { ...session.screen, now: world.now(), style: "compact" }));
  }
}

/** Reports the start and the end of an outage once each. */
function outageReporter({ world, flags, aside, show, say }: Session) {
  let failure: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failure) return;
      failure = name;
      show(problemText(error, { world, flags, aside }));
      say("Retrying until the service answers.");
    },
    onResponse({ ok }: Response): void {
      if (!ok || failure === undefined) return;
      failure = undefined;
      say("The service answers again.");
    },
  };
}
