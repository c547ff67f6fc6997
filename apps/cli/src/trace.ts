import { forShell, oneOfThese, searchOf } from "@media-ops/commands";
import { formatAgo, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import { askTrace, type Trace as Traced, type TraceRequest } from "@media-ops/reports";
import { keptOf } from "@media-ops/reports/entries";
import { type Connected, connect } from "./connect.js";
import { CliError } from "./errors.js";
import { type CommandNamed, language } from "./language.js";
import { BEFORE_KEPT, deliverFile, MOST_READ } from "./output.js";
import type { Session } from "./session.js";

type Trace = CommandNamed<"trace">;

/** The number of lines shown to people by default; programs receive all. */
const ON_SCREEN = 200;
const MOST_AT_ONCE = 1000;

/** `media trace`: prints all that the logs have about something, oldest first. */
export async function trace(command: Trace, session: Session): Promise<void> {
  const connected = await connect(session);
  const style = session.flags.json ? "json" : (command.as ?? "timeline");
  return style === "timeline" ? show(command, connected, session) : writeAll(command, style, connected, session);
}

/** Shows the newest lines to people, and the commands for those before and after them. */
async function show(command: Trace, connected: Connected, session: Session): Promise<void> {
  const { screen } = session;
  const request = requestOf(command, connected, command.last ?? ON_SCREEN);
  const found = await connected.ask((client, options) => askTrace(client, request, options));
  if (found.candidates.length > 0) throw ambiguous(command, found, session);
  if (keptOf(command, screen.now).gone) session.say(BEFORE_KEPT);
  const { older, newer, ...rest } = found;
  const { period } = language.phrases(command, screen);
  const drawn = { ...screen, when: period, until: command.until };
  session.print(terminal.formatTrace({ ...rest, older: undefined, newer: undefined }, drawn));
  // No added line breaks, because the commands are copied.
  if (older) session.show(`Older lines: ${typed(olderOf(command, older, found.lines))}`);
  if (newer) session.show(`Newer lines, if any: ${typed(pageOf(command, newer))}`);
}

/** Writes all lines for programs. */
async function writeAll(command: Trace, style: "csv" | "json", connected: Connected, session: Session): Promise<void> {
  const { say, screen } = session;
  const found = await readAll(command, connected);
  const [oldest] = found.lines;
  // As many as were requested are all of them.
  const isCut = found.older !== undefined && command.last === undefined;
  const searchedTo = isCut ? oldest?.entry.timestamp : found.searchedTo;
  const written = { ...found, complete: found.complete && !isCut, searchedTo };
  const texts = { csv: () => csv.formatTrace(written), json: () => jsonl.formatTrace(written) };
  const isClear = found.candidates.length === 0;
  if (isClear || style === "json") await deliverFile(style, texts, session);
  if (!isClear) throw ambiguous(command, found, session);
  if (keptOf(command, screen.now).gone) say(BEFORE_KEPT);
  if (found.missing.length > 0) {
    const logs = oneOfThese(found.missing, "and");
    say(`Incomplete: without ${logs}. This service has no such log, or its entries do not say what they are about.`);
  }
  if (isCut && searchedTo !== undefined) {
    const next = new Date(millisecondsOf(searchedTo) + 1).toISOString();
    say(`Incomplete: the output has the newest ${formatCount(found.lines.length)} lines. Go on with until:${next}.`);
  } else if (!found.complete) say(`Incomplete: only entries since ${searchedTo} were searched.`);
}

/** Reads page after page, to the oldest line or as many as a command reads. */
async function readAll(command: Trace, connected: Connected): Promise<Traced> {
  const read = (request: TraceRequest) => connected.ask((client, options) => askTrace(client, request, options));
  let page = await read(requestOf(command, connected, command.last ?? MOST_AT_ONCE));
  const pages = [page.lines];
  for (let count = page.lines.length; page.older && command.last === undefined && count < MOST_READ; ) {
    page = await read(page.older);
    pages.unshift(page.lines);
    count += page.lines.length;
  }
  return { ...page, lines: pages.flat() };
}

function requestOf(command: Trace, { project }: Pick<Connected, "project">, limit: number): TraceRequest {
  const { what, is, since, until } = command;
  const project_id = command.in ?? project;
  const range = searchOf({ kind: "events", filters: [], since, until });
  return { what, limit, ...range, ...(is && { as: is }), ...(project_id !== undefined && { project_id }) };
}

/** The page before or after this one, as a command. */
function pageOf(command: Trace, { what, as, since, until }: TraceRequest): Trace {
  const { since: _, until: __, ...rest } = command;
  return {
    ...rest,
    what,
    ...(as && { is: as }),
    ...(since !== undefined && { since: millisecondsOf(since) }),
    // Times are typed to the millisecond: lines of the same one are repeated rather than left out.
    ...(until !== undefined && { until: millisecondsOf(until) + (isBetween(until) ? 1 : 0) }),
  };
}

/** The page before this one, with room for more lines if it would have most of these again. */
function olderOf(command: Trace, request: TraceRequest, lines: Traced["lines"]): Trace {
  const { last = ON_SCREEN } = command;
  const page = pageOf(command, request);
  const { until = 0 } = page;
  const repeated = lines.filter(({ entry }) => millisecondsOf(entry.timestamp) < until).length;
  if (repeated <= last / 2) return page;
  if (last + repeated <= MOST_AT_ONCE) return { ...page, last: last + repeated };
  const { last: _, ...all } = page;
  return { ...all, as: "csv" };
}

const millisecondsOf = (time: string | Date): number => new Date(time).getTime();

/** Whether a time is not at the beginning of a millisecond. */
const isBetween = (time: string | Date): boolean => /\.\d{3}\d*[1-9]/.test(String(time));

/** A command as it must be typed in a shell. */
const typed = (command: Trace): string => terminal.clean(`media ${forShell(language.write(command))}`);

/** The error for a text that names several things, with the command for each. */
function ambiguous(command: Trace, { id, candidates }: Traced, { screen }: Session): CliError {
  const rows = candidates.map(({ id, subject, timestamp }) => ({
    line: typed({ ...command, what: id, is: subject }),
    seen: formatAgo(millisecondsOf(timestamp), screen.now),
  }));
  const width = Math.max(...rows.map(({ line }) => terminal.textWidth(line)));
  const lines = rows.map(({ line, seen }) => `  ${line}${" ".repeat(width - terminal.textWidth(line))}  ${seen}`);
  return new CliError([`${terminal.clean(id)} may be one of these, the last seen first:`, ...lines].join("\n"), 2);
}
