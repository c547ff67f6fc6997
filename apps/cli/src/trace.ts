import { capital, type Filter, forShell, oneOfThese, searchOf, whyDefaults } from "@media-ops/commands";
import { formatAgo, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import {
  askTrace,
  askWhy,
  type Why as Explained,
  type Trace as Traced,
  type TraceRequest,
  type WhyCause,
} from "@media-ops/reports";
import { keptOf } from "@media-ops/reports/entries";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { BEFORE_KEPT, deliverFile, MOST_READ, printJson } from "./output.js";
import { CliError, type Session } from "./session.js";

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

type Why = CommandNamed<"why">;

/** `media why`: explains why connections failed or were refused, the most likely cause first. */
export async function why(command: Why, session: Session): Promise<void> {
  const { flags, screen, print, say, show } = session;
  const { ask, project } = await connect(session);
  const { channel, until, since = (until ?? screen.now) - whyDefaults.periodMs } = command;
  const project_id = command.in ?? project;
  const request = {
    ...searchOf({ kind: "events", filters: [], since, until }),
    ...(project_id !== undefined && { project_id }),
    ...(channel !== undefined && { channel }),
  };
  const found = await ask((client, options) => askWhy(client, request, options));
  const isKept = keptOf({ since, until }, screen.now).gone === undefined;
  if (!isKept) say(BEFORE_KEPT);
  if (flags.json) return printJson({ ...found, complete: found.complete && isKept }, session);
  const title = capital(language.describe({ ...command, since }, { project, ...screen }));
  print(terminal.formatWhy(found, { ...screen, title }));
  const { causes } = found;
  if (causes.length === 0) return;
  say(causes.length === 1 ? "Its entries:" : "The entries of each cause:");
  // No added line breaks, because the commands are copied.
  for (const cause of causes) show(`  ${entriesOf(cause, found, command)}`);
}

/** The command that lists the entries of a cause, as it must be typed in a shell. */
function entriesOf(
  { outcome, reason, mediaReason }: WhyCause,
  { since, until }: Explained,
  { channel, in: project }: Why,
): string {
  const isFailed = outcome === "failed";
  const listed = language.write({
    name: "logs",
    kind: "events",
    filters: [
      is("outcome", outcome),
      // A session that vanished with its node is no connection.
      ...(isFailed ? [is("type", "connection.", "")] : []),
      reason === undefined ? isAbsent("reason") : is("reason", reason),
      ...(!isFailed ? [] : [mediaReason === undefined ? isAbsent("media-reason") : is("media-reason", mediaReason)]),
      ...(channel === undefined ? [] : [is("channel", channel)]),
    ],
    since: Date.parse(since),
    until: Date.parse(until),
    ...(project !== undefined && { in: project }),
  });
  return terminal.clean(`media ${forShell(listed)}`);
}

const is = (field: string, ...parts: string[]): Filter => ({
  field,
  negated: false,
  test: { is: "like", any: [parts] },
});

const isAbsent = (field: string): Filter => ({ ...is(field, "", ""), negated: true });
