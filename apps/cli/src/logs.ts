import { askedOf, comparing, kinds, orderOf, type Search, searchOf } from "@media-ops/commands";
import { formatCount, listingHeading } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import {
  askStatus,
  askSummary,
  countEntries,
  countFound,
  type ListingFigures,
  type LogService,
  type Summary,
  wholeOf,
} from "@media-ops/reports";
import { keptOf } from "@media-ops/reports/entries";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { BEFORE_KEPT, deliverFile, MOST_READ, outageReporter, printJson } from "./output.js";
import type { Session } from "./session.js";

/** The number of entries shown to people by default; programs receive all. */
const ON_SCREEN = 50;
/** The highest number that a command can request, which is also that of a page. */
const MOST_REQUESTED = 1000;

type Logs = CommandNamed<"logs">;
type LogCommand = CommandNamed<"logs" | "summary" | "follow">;
type Entry = LogEntryOf<LogKind>;

/** The project, the period and the conditions of a command, as the service takes them. */
function questionOf(command: LogCommand, { project }: Connected): Search & { project_id?: string } {
  const project_id = command.in ?? project;
  return { ...(project_id !== undefined && { project_id }), ...searchOf(command, project_id) };
}

const serviceOf = ({ ask }: Connected): LogService => ({
  count: (kind, question) => ask((client, options) => client.logs.count(kind, question, options)),
  list: (kind, question) => ask((client, options) => client.logs.list(kind, question, options).withResponse()),
});

/** "37 failed webhooks of 1,240,332 in the last 2 hours"; says first if not all was searched, or kept. */
function headingOf(
  command: CommandNamed<"logs" | "summary">,
  figures: ListingFigures,
  { screen }: Session,
  { project }: Connected,
): string {
  const place = command.in ?? project;
  const phrases = (since: number | undefined) => {
    const given = { ...command, ...(since !== undefined && { since }) };
    const { conditions, period, limit } = language.phrases(given, screen);
    const more = [conditions, command.name === "summary" && limit, place && `project ${place}`];
    return { period, more: more.filter(Boolean).join(", ") };
  };
  return listingHeading({ ...askedOf(command), phrases }, figures, screen);
}

/** Matching entries: a page of them, or all that were read. */
interface Part {
  entries: readonly Entry[];
  matches: number;
  /** Whether it ends here because it has as many entries as it may have. */
  isCut: boolean;
  /** The time back to which the log was searched, if older entries may match. */
  searchedTo: string | undefined;
}

/** Walks the matching entries, newest first, to the last one or to this many. */
async function* walk(
  command: Logs,
  most: number,
  connected: Connected,
  signal: AbortSignal,
): AsyncGenerator<Part, void, undefined> {
  const question = { ...questionOf(command, connected), limit: Math.min(most, MOST_REQUESTED) };
  const pages = connected.client.logs.all(command.kind, question, { signal }).pages();
  let rest = most;
  do {
    const { value: page } = await connected.ask(() => pages.next());
    if (!page) return;
    const { data, complete, searchedTo, nextCursor } = page;
    const entries = data.slice(0, rest);
    rest -= entries.length;
    const isCut = rest === 0 && (entries.length < data.length || nextCursor !== undefined);
    yield { entries, matches: data.length, isCut, searchedTo: complete ? undefined : searchedTo };
  } while (rest > 0);
}

async function readAll(command: Logs, most: number, connected: Connected, signal: AbortSignal): Promise<Part> {
  const { kind, sort } = command;
  const parts: Part[] = [];
  for await (const part of walk(command, sort ? MOST_READ : most, connected, signal)) parts.push(part);
  const all = parts.flatMap(({ entries }) => entries);
  const entries = sort ? all.sort(comparing(kind, sort)).slice(0, most) : all;
  const { isCut = false, searchedTo } = parts.at(-1) ?? {};
  const matches = parts.reduce((sum, part) => sum + part.matches, 0);
  return { entries, matches, isCut: sort ? entries.length < all.length : isCut, searchedTo };
}

/** `media logs`: prints the matching entries, newest first or sorted. */
export async function logs(command: Logs, session: Session): Promise<void> {
  const connected = await connect(session);
  const style = session.flags.json ? "json" : (command.as ?? "table");
  if (style === "csv" || style === "json") return writeAll(command, style, connected, session);
  return showSome(command, style, connected, session);
}

/** Shows the first entries to people, below a heading that says how many there are. */
async function showSome(command: Logs, style: "table" | "compact", connected: Connected, session: Session) {
  const { world, print, say, screen } = session;
  const { kind, sort } = command;
  const most = (sort ? command.top : command.last) ?? ON_SCREEN;
  const [counted, listed] = await Promise.all([
    countFound(serviceOf(connected), kind, questionOf(command, connected)),
    readAll(command, most, connected, world.signal),
  ]);
  const { entries, matches } = listed;
  // A whole list is exact; the count may have more, such as this command's own calls in the API log.
  const isWhole = listed.searchedTo === undefined;
  const found = isWhole ? matches : Math.max(counted?.found ?? 0, matches);
  // With a count, the newest entries need no further search.
  const isEnough = counted !== undefined && !sort && listed.isCut;
  const searchedTo = isWhole ? undefined : (counted?.searchedTo ?? (isEnough ? undefined : listed.searchedTo));
  const top = sort && entries.length;
  say(headingOf(command, { found, of: counted?.of, top, searchedTo }, session, connected));
  const { sortedBy } = sort ? orderOf(kind, sort) : {};
  if (entries.length > 0) print(terminal.formatLogs(kind, entries, { ...screen, style, sortedBy }));
  if (found === entries.length) return;
  const all = isWhole || counted !== undefined ? "all" : "all that this service lists";
  say(moreWords(command, { found, shown: entries.length, isAll: searchedTo === undefined, all }));
}

function moreWords(
  { kind, sort, top, last }: Logs,
  { found, shown, isAll, all }: { found: number; shown: number; isAll: boolean; all: string },
): string {
  const [word, given] = sort ? ["top", top] : ["last", last];
  const most = Math.min(found, MOST_REQUESTED);
  const first = isAll && found <= MOST_REQUESTED ? "all" : `the first ${formatCount(most)}`;
  const rest = found > MOST_READ ? `the newest ${formatCount(MOST_READ)}` : all;
  const ways = [
    shown < most ? `${word}:${most} shows ${first}` : "",
    `as:csv > ${kind}.csv${given === undefined ? "" : ` without ${word}:${given}`} writes ${rest}`,
  ];
  const hidden = `${isAll ? "" : "At least "}${formatCount(found - shown)} more`;
  return `${hidden}: ${ways.filter(Boolean).join(", ")}.`;
}

/** Writes all matching entries for programs, page by page as fast as they are read. */
async function writeAll(command: Logs, style: "csv" | "json", connected: Connected, session: Session): Promise<void> {
  const { world, deliver, say } = session;
  const { kind, sort } = command;
  const asked = sort ? command.top : command.last;
  const most = asked ?? MOST_READ;
  if (style === "csv") await deliverFile(style, { csv: () => csv.formatHeader(kind), json: () => "" }, session);
  const { signal } = world;
  const parts = sort ? [await readAll(command, most, connected, signal)] : walk(command, most, connected, signal);
  let rows = 0;
  let end: Part | undefined;
  for await (const part of parts) {
    const { entries } = part;
    const texts = { csv: () => csv.formatRows(kind, entries), json: () => jsonl.formatLogs(kind, entries) };
    if (entries.length > 0) await deliverFile(style, texts, session);
    rows += entries.length;
    end = part;
  }
  // As many as were requested are all of them, unless they were to be the first of all.
  if (asked !== undefined && rows === asked && !sort) return;
  const kept = keptOf(command, world.now());
  const searchedTo = end?.searchedTo ?? (kept.gone && new Date(kept.since).toISOString());
  if (searchedTo === undefined) return;
  if (style === "json") await deliver(jsonl.formatEnd({ complete: false, searchedTo }));
  if (end?.searchedTo === undefined) return say(BEFORE_KEPT);
  if (!end.isCut || sort) return say(`Incomplete: only entries since ${searchedTo} were searched.`);
  // Times are typed to the millisecond, and the rest of this one may not be read yet.
  const next = new Date(Date.parse(searchedTo) + 1).toISOString();
  say(`Incomplete: the output ends after ${formatCount(rows)} entries, at ${searchedTo}. Go on with until:${next}.`);
}

/** The most entries of a period that precede the new ones. */
const BACKLOG = 1000;

/** `media follow`: prints each new matching entry, in the order in which they are written, until it is stopped. */
export async function follow(command: CommandNamed<"follow">, session: Session): Promise<void> {
  const { world, flags, screen, print, say } = session;
  const { onResponse, onError } = outageReporter(session);
  const connected = await connect(session, { onResponse });
  const { client, project } = connected;
  const { kind, since, every } = command;
  const question = questionOf(command, connected);
  const followed = client.logs.follow(kind, {
    ...question,
    intervalMs: every,
    backlog: since === undefined ? 0 : BACKLOG,
    signal: world.signal,
    onError,
  });
  say(`Following ${language.describe(command, { project, ...screen })}. Ctrl-C stops.`);
  if (since !== undefined) {
    const most = formatCount(BACKLOG);
    const found = (await countFound(serviceOf(connected), kind, question))?.found;
    if (found === undefined) say(`Of the entries until now, at most the newest ${most} come first.`);
    else if (found > BACKLOG) {
      const all = formatCount(found);
      say(`The newest ${most} of ${all} come first; media logs ${kind} with since: lists the others.`);
    }
  }
  let newest: string | undefined;
  for await (const { entry, gap } of followed) {
    newest = entry.timestamp;
    if (gap) say("More than 1,000 new entries at once: some are missing here.");
    if (flags.json || command.as === "json") {
      await deliverFile("json", { csv: () => "", json: () => jsonl.formatLogs(kind, [entry]) }, session);
    }
    // The time and the window's width change.
    else print(terminal.formatLogs(kind, [entry], { ...session.screen, now: world.now(), style: "compact" }));
  }
  if (newest !== undefined) say(`Go on with since:${newest}, which repeats the last entry.`);
}

/** `media summary`: summarizes the matching entries of the whole period. */
export async function summary(command: CommandNamed<"summary">, session: Session): Promise<void> {
  const { flags, screen, print } = session;
  const connected = await connect(session);
  const { where, ...period } = questionOf(command, connected);
  const { kind, since, until, by } = command;
  const service = serviceOf(connected);
  const [summary, of] = await Promise.all([
    askSummary(service, kind, { ...screen, project_id: period.project_id, since, until, where, by }),
    where && !flags.json ? countEntries(service, kind, period) : undefined,
  ]);
  if (flags.json) return printJson({ ...summary, ...searchedTo(summary) }, session);
  // An entry may stand for several calls or refusals, which a summary counts one by one.
  const figures = { found: summary.count, of: wholeOf(of)?.count, isAtLeast: !summary.complete };
  const title = `Summary of ${headingOf(command, figures, session, connected)}`;
  print(terminal.formatSummary(summary, { ...screen, title }));
}

/** `media status`: prints whether the service answers, the newest entry of each log, and recent failures. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { flags, screen, print } = session;
  const connected = await connect(session);
  const { project, address, from } = connected;
  const question = { now: screen.now, project_id: command.in ?? project };
  const service = serviceOf(connected);
  const ask = (some: readonly LogKind[]) => Promise.all(some.map((kind) => askStatus(service, kind, question)));
  const started = performance.now();
  // The first log is read alone, to measure the time of one answer.
  const first = await ask(kinds.slice(0, 1));
  const answeredInMs = Math.round(performance.now() - started);
  const statuses = [...first, ...(await ask(kinds.slice(1)))];
  if (!flags.json) return print(terminal.formatStatus(statuses, { address, answeredInMs, askedWith: from }, screen));
  const logs = statuses.map((log) => ({ ...log, complete: log.lastHour.complete, ...searchedTo(log.lastHour) }));
  const complete = logs.every((log) => log.complete);
  printJson({ baseUrl: address, from, answeredInMs, complete, logs }, session);
}

function searchedTo({ complete, period }: Summary): { searched_to?: string } {
  return complete || !period ? {} : { searched_to: new Date(period.from).toISOString() };
}
