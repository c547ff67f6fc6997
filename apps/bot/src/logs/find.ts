import { askedOf, comparing, roundPeriod, type SortOrder, searchOf, shorten } from "@media-ops/commands";
import { formatCount, listingHeading } from "@media-ops/formatters";
import { amountOf, countEntries, type ListingFigures, wholeOf } from "@media-ops/reports";
import type { Entry, Project } from "../connections/clients.js";
import { type CommandNamed, language } from "../language.js";
import { openProject, unlessLacking } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Bookmark, keyAt, NEWEST, newestOf, timeIn } from "./bookmark.js";
import { type LogReader, type Question, readAll, readAround, readerOf, readListed, type Window } from "./reading.js";

/** A command that reads a log. */
export type LogCommand = CommandNamed<"logs" | "summary">;

/** A command with its project, the time of its answer and the reader's time zone. */
export interface OpenedLog<Command extends LogCommand = LogCommand> {
  project: Project;
  reader: LogReader;
  /** The command with its project, so that running it anywhere has the same meaning. */
  command: Command;
  /** When the log was read, and the time zone for its times. */
  now: number;
  timeZone: string;
}

/** Finds the project for a request. */
export async function openLog<Command extends LogCommand>(
  command: Command,
  request: Request,
): Promise<OpenedLog<Command>> {
  const { timeZone } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const now = request.now();
  return { project, reader: readerOf(project), command: { ...command, in: project.id }, now, timeZone };
}

/** The entries that a command means, as the service takes them. */
export function questionOf({
  command,
  project,
}: Pick<OpenedLog, "command"> & { project: Pick<Project, "id"> }): Question {
  return searchOf(command, project.id);
}

// A heading may have 200 characters; the rest is for the figures.
const MAX_WORDS = 110;

/** "37 failed webhooks of 1,240,332 in the last 2 hours, project demo"; says first if not all was searched. */
export function headingOf(
  {
    command,
    project,
    now,
    timeZone,
  }: Pick<OpenedLog, "command" | "now" | "timeZone"> & { project: Pick<Project, "id"> },
  figures: ListingFigures,
): string {
  const when = { now, timeZone };
  const phrases = (since: number | undefined) => {
    const { conditions, period, limit } = language.phrases({ ...command, ...(since !== undefined && { since }) }, when);
    const more = [conditions, limit, `project ${project.id}`].filter(Boolean).join(", ");
    return { period, more: shorten(more, MAX_WORDS) };
  };
  return listingHeading({ ...askedOf(command), phrases }, figures, when);
}

/** The length of a period that is described as "last 2 hours"; undefined if it is described by clock times. */
export function periodOf(
  { since, until, zone }: Pick<LogCommand, "since" | "until" | "zone">,
  when: { now: number; timeZone: string },
): number | undefined {
  // A second run must cover the period that the first heading names.
  return since === undefined || until !== undefined || zone !== undefined ? undefined : roundPeriod(since, when);
}

/** How many entries a wider command would find. */
interface Wider {
  without: string;
  command: CommandNamed<"logs">;
  count: number;
  /** Whether there may be more. */
  isAtLeast: boolean;
}

/** The entries around the page of a bookmark. */
export interface Listing extends OpenedLog<Bookmark["command"]>, ListingFigures {
  /** Newest first: the page, and its neighbours. */
  entries: readonly Entry[];
  /** How many matching entries precede them. */
  before: number;
  /** Whether older ones follow them. */
  hasOlder: boolean;
  /** Whether a search could go on where this one ended. */
  canGoOn?: boolean;
  heading: string;
  /** Which of them are listed, if not all can be paged. */
  note?: string | undefined;
  /** The bookmark with the project, the period and the first entry resolved. */
  bookmark: Bookmark;
  /** If nothing was found: what a wider command would find. */
  wider: readonly Wider[];
}

// A search of the service takes 2 s at most; then the answer has to be drawn and sent.
const LAST_READ_MS = 4000;

/** Reads the entries for a bookmark. */
export async function openListing(bookmark: Bookmark, request: Request): Promise<Listing> {
  const opened = await openLog(bookmark.command, request);
  const { command, reader, now } = opened;
  const { kind, last, top, sort } = command;
  const question = questionOf(opened);
  const { where, ...period } = question;
  // Together, because each call is a wait for the service.
  const asked = Promise.all([countEntries(reader, kind, period), windowOf(opened, bookmark, request)]);
  const [all, page] = await unlessLacking(asked, kind, opened.project);
  const window = all || sort ? page : await readListed(reader, kind, question);
  // Without older entries, the page says itself how many match.
  const isWhole = !window.hasOlder && window.searchedTo === undefined;
  const more = where && all && window.hasOlder ? await countEntries(reader, kind, question) : undefined;
  const amount = where ? more : isWhole ? undefined : all;
  const isCounted = last !== undefined && window.entries.length > 0;
  const first = isCounted ? (bookmark.first ?? keyAt(window.entries, 0)) : undefined;
  const entries = last === undefined ? window.entries : newestOf(window.entries, last, first);
  const matches = window.matches ?? window.before + entries.length;
  const found = last !== undefined ? entries.length : Math.max(amount?.entries ?? 0, matches);
  const searchedTo = isCounted && entries.length === last ? undefined : (window.searchedTo ?? amount?.searchedTo);
  const isCut = sort !== undefined && top === undefined && found > entries.length;
  const figures = {
    found,
    of: where && wholeOf(all)?.entries,
    ...(sort && { top: entries.length }),
    searchedTo,
  };
  const wider = found === 0 ? await widerThan(opened) : [];
  return {
    ...opened,
    ...window,
    ...figures,
    entries,
    ...(isCut && {
      note: `Only the first ${formatCount(entries.length)} are listed. The CSV has all, the newest first.`,
    }),
    heading: headingOf(opened, figures),
    bookmark: { ...bookmark, command, first, periodMs: bookmark.periodMs ?? periodOf(command, { ...opened, now }) },
    wider,
  };
}

type OpenedLogs = OpenedLog<CommandNamed<"logs">>;

async function windowOf(opened: OpenedLogs, { spot, first }: Bookmark, request: Request): Promise<Window> {
  const { reader, command } = opened;
  const mayGoOn = () => request.now() < request.answerBy - LAST_READ_MS;
  if (command.sort) return sorted(opened, command.sort, request);
  const question = questionOf(opened);
  if (command.last === undefined) return readAround(reader, command.kind, question, spot, mayGoOn);
  // The newest N are read together, and paged here.
  const from = first === undefined ? undefined : timeIn(first);
  const spotOfAll = first === undefined || from === undefined ? NEWEST : ({ is: "older", key: first } as const);
  const window = await readAround(reader, command.kind, question, spotOfAll, mayGoOn, command.last + 1);
  return { ...window, before: 0, hasOlder: false };
}

/** How many sorted entries can be paged. */
const MOST_SORTED = 1000;

/** The first entries in an order, of all that match. */
async function sorted(opened: OpenedLogs, order: SortOrder, request: Request): Promise<Window> {
  const { command } = opened;
  const most = command.top ?? MOST_SORTED;
  const compare = comparing(command.kind, order);
  let best: Entry[] = [];
  let matches = 0;
  const searchedTo = await readAll(opened, questionOf(opened), request, (page) => {
    matches += page.length;
    // The sort is stable: of equal entries, the newest stay first.
    best = [...best, ...page].sort(compare).slice(0, most);
  });
  return { entries: best, matches, before: 0, hasOlder: false, searchedTo };
}

/**
 * The number of entries that a wider command would find: without time or without filters; without both only if neither
 * alone helps.
 */
async function widerThan(opened: OpenedLogs): Promise<Wider[]> {
  const { since, until, filters, ...rest } = opened.command;
  const hasTime = since !== undefined || until !== undefined;
  const tried = async (without: string, command: CommandNamed<"logs">): Promise<Wider> => {
    const { entries, searchedTo } = await amountOf(opened.reader, command.kind, questionOf({ ...opened, command }));
    return { without, command, count: entries, isAtLeast: searchedTo !== undefined };
  };
  const one = await Promise.all([
    ...(hasTime ? [tried("the time", { ...rest, filters })] : []),
    ...(filters.length > 0 ? [tried("the filters", { ...opened.command, filters: [] })] : []),
  ]);
  const useful = one.filter(({ count }) => count > 0);
  if (useful.length > 0) return useful;
  return [await tried("time and filters", { ...rest, filters: [] })].filter(({ count }) => count > 0);
}
