import { kinds, matcher, readTimestamp } from "@media-ops/commands";
import { formatCount, type LogStatus, logStatus, summarize } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { formatStatus } from "@media-ops/formatters/terminal";
import { isCapped, type LogEntryOf, type LogKind } from "@media-ops/sdk";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessCsv, harmlessJson, problemText } from "./output.js";
import type { Session } from "./session.js";

/** A command that is about the entries of a log. */
type Wanted = CommandNamed<"logs" | "summary">;

export interface Found {
  /** The entries that match, newest first. */
  entries: LogEntryOf<LogKind>[];
  /** How many the service listed. */
  listed: number;
  /** Whether older ones may be missing because the service lists no more at once. */
  mayLackOlder: boolean;
}

/** The entries of a log that match. */
export async function find(wanted: Wanted, { client, project, wait }: Connected, { world }: Session): Promise<Found> {
  const request = { project_id: wanted.in ?? project };
  const listed: LogEntryOf<LogKind>[] = await wait(client.logs.list(wanted.kind, request, { signal: world.signal }));
  const oldest = readTimestamp(listed.at(-1)?.timestamp ?? "") ?? Number.NaN;
  return {
    entries: listed.filter(matcher(wanted)),
    listed: listed.length,
    mayLackOlder: isCapped(listed) && !(wanted.since !== undefined && oldest < wanted.since),
  };
}

/** What was asked for, and how much of it there is: what stands above a table. */
export function headingOf(wanted: Wanted, found: Found, { project }: Connected, { screen }: Session): string {
  const [matching, all] = [formatCount(found.entries.length), formatCount(found.listed)];
  const words = language.describe(wanted, { project, ...screen });
  return `${words}: ${matching === all ? all : `${matching} of ${all}`}`;
}

export const CAP_NOTE = "The service lists the newest 1,000 entries; there may be older ones that match.";

/** As many entries as a screen or two hold. What a program is to read is whole. */
const ON_SCREEN = 50;

/** `media logs`: the entries that match, newest first. */
export async function logs(command: CommandNamed<"logs">, session: Session): Promise<void> {
  const { flags, screen, world, print, write, say } = session;
  const connected = await connect(session);
  const found = await find(command, connected, session);
  const style = flags.json ? "json" : (command.as ?? "table");
  const isForPeople = style === "table" || style === "compact";
  const shown = found.entries.slice(0, command.last ?? (isForPeople ? ON_SCREEN : undefined));

  if (style === "csv") {
    const lines = csv.formatLogs(command.kind, shown);
    // A file gets every sign as it is; a screen would obey some.
    write(world.stdout.isTTY ? harmlessCsv(lines) : lines);
  } else if (style === "json") write(harmlessJson(jsonl.formatLogs(command.kind, shown)));
  else {
    say(headingOf(command, found, connected, session));
    if (shown.length > 0) print(terminal.formatLogs(command.kind, shown, { ...screen, style }));
    const left = found.entries.length - shown.length;
    if (left > 0) say(`${formatCount(left)} more: last:${found.entries.length}, or a filter, or as:csv for a file.`);
  }
  if (found.mayLackOlder) say(CAP_NOTE);
}

/** `media summary`: what the entries that match say together. */
export async function summary(command: CommandNamed<"summary">, session: Session): Promise<void> {
  const { flags, screen, print, say } = session;
  const connected = await connect(session);
  const found = await find(command, connected, session);
  const { kind, since, until } = command;
  if (flags.json) print(harmlessJson(JSON.stringify(summarize(kind, found.entries, { since, until }))));
  else {
    const title = headingOf(command, found, connected, session);
    print(terminal.formatSummary(kind, found.entries, { ...screen, since, until, title }));
  }
  if (found.mayLackOlder) say(CAP_NOTE);
}

/** `media status`: whether the service answers and how fast, when each log last got an entry, and what fails now. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const { client, project, address, from, wait } = await connect(session);
  const project_id = command.in ?? project;
  const look = async (kind: LogKind): Promise<LogStatus> => {
    return logStatus(kind, await client.logs.list(kind, { project_id }, { signal: world.signal }), { now: screen.now });
  };
  const started = performance.now();
  // One alone, so that what is told is how long an answer takes, and not how long all of them.
  const first = await wait(Promise.all(kinds.slice(0, 1).map(look)));
  const answeredInMs = Math.round(performance.now() - started);
  const logs = [...first, ...(await wait(Promise.all(kinds.slice(1).map(look))))];
  if (flags.json) return print(harmlessJson(JSON.stringify({ baseUrl: address, from, answeredInMs, logs })));
  print(formatStatus(logs, { address, answeredInMs, askedWith: from }, screen));
}

/** All that one answer of the service holds. */
const ALL = 1000;

/** `media follow`: each entry that matches as it comes, oldest first, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, write, say } = session;
  const outage = watchOutage(session);
  const { client, project } = await connect(session, { onResponse: outage.onResponse });
  const { kind, since, every } = command;
  const matches = matcher(command);
  const isJson = flags.json || command.as === "json";
  const followed = client.logs.follow(kind, {
    project_id: command.in ?? project,
    intervalMs: every,
    backlog: since === undefined ? 0 : ALL,
    signal: world.signal,
    onError: outage.onError,
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C ends it.`);
  for await (const { entry, gap } of followed) {
    if (gap) say("More than 1,000 entries came at once: some are missing here.");
    if (!matches(entry)) continue;
    if (isJson) write(harmlessJson(jsonl.formatLogs(kind, [entry])));
    else {
      // Both the present and the width of a window change.
      print(terminal.formatLogs(kind, [entry], { ...session.screen, now: world.now(), style: "compact" }));
    }
  }
}

/** Says once what is wrong, however long it lasts, and that it is over. */
function watchOutage(session: Session) {
  let failing: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failing) return;
      failing = name;
      session.show(problemText(error, session));
      session.say("Looking again and again until it answers.");
    },
    onResponse({ ok }: Response): void {
      if (!ok || failing === undefined) return;
      failing = undefined;
      session.say("It answers again.");
    },
  };
}
