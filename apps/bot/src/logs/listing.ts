import { askedOf, comparing, type SortOrder, searchOf, shorten } from "@media-ops/commands";
import { formatCount, listingHeading } from "@media-ops/formatters";
import { amountOf, countEntries, type ListingFigures, type LogService, wholeOf } from "@media-ops/reports";
import type { CountLogsRequest, ListLogsRequest, LogKind, LogPage } from "@media-ops/sdk";
import type { Entry, Project } from "../connections/clients.js";
import { type CommandNamed, language } from "../language.js";
import { unlessLacking } from "../projects/open-project.js";
import type { Request } from "../request.js";
import type { Opened } from "../saved-command.js";
import { type Bookmark, keyAt, NEWEST, newestOf, positionOf, ROWS, type Spot, timeIn } from "./bookmark.js";

/** The calls of a project's service. */
export interface LogReader extends LogService {
  list(kind: LogKind, question: ListLogsRequest): Promise<LogPage<LogKind>>;
}

/** The service of a project, as reports ask it. */
export function readerOf({ id, ask, shared }: Pick<Project, "id" | "ask" | "shared">): LogReader {
  return {
    count: (kind, question: CountLogsRequest) =>
      shared.counts(JSON.stringify([kind, question]), () =>
        ask((client, options) => client.logs.count(kind, { ...question, project_id: id }, options)),
      ),
    list: (kind, question) =>
      shared.pages(JSON.stringify([kind, question]), () =>
        ask((client, options) => {
          // Many pages in a row may be too many for the service, which then says when to go on.
          const patient = question.cursor === undefined ? options : { ...options, maxRetries: 4 };
          return client.logs.list(kind, { ...question, project_id: id }, patient).withResponse();
        }),
      ),
  };
}

type Question = Pick<ListLogsRequest, "where"> & { since?: string; until?: string };

/** The entries that a command means, as the service takes them. */
export const questionOf = ({ saved, project }: OpenedLog): Question => searchOf(saved.command, project.id);

interface OpenedLog extends Pick<Opened, "now" | "timeZone"> {
  readonly project: Pick<Project, "id">;
  readonly saved: { readonly command: CommandNamed<"logs" | "summary"> };
}

// A heading may have 200 characters; the rest is for the figures.
const MAX_WORDS = 110;

/** "37 failed webhooks of 1,240,332 in the last 2 hours, project demo"; says first if not all was searched. */
export function headingOf({ saved: { command }, project, now, timeZone }: OpenedLog, figures: ListingFigures): string {
  const when = { now, timeZone };
  const phrases = (since: number | undefined) => {
    const { conditions, period, limit } = language.phrases({ ...command, ...(since !== undefined && { since }) }, when);
    const more = [conditions, limit, `project ${project.id}`].filter(Boolean).join(", ");
    return { period, more: shorten(more, MAX_WORDS) };
  };
  return listingHeading({ ...askedOf(command), phrases }, figures, when);
}

interface Wider {
  without: string;
  command: CommandNamed<"logs">;
  count: number;
  isAtLeast: boolean;
}

/** The entries around the page of a bookmark, whose period and first entry are resolved. */
export interface Listing extends Opened<Bookmark>, ListingFigures, Window {
  heading: string;
  /** Which of them are listed, if not all can be paged. */
  note?: string | undefined;
  /** If nothing was found: what a wider command would find. */
  wider: readonly Wider[];
}

// A search of the service takes 2 s at most; then the answer has to be drawn and sent.
const LAST_READ_MS = 4000;
// The contract's limit.
const MOST_AT_ONCE = 1000;

/** Reads the entries for a bookmark. */
export async function readListing(opened: Opened<Bookmark>, request: Request): Promise<Listing> {
  const { saved, project } = opened;
  const { kind, last, top, sort } = saved.command;
  const reader = readerOf(project);
  const question = questionOf(opened);
  const { where, ...period } = question;
  // Together, because each call is a wait for the service.
  const asked = Promise.all([countEntries(reader, kind, period), readWindow(opened, request)]);
  const [all, page] = await unlessLacking(asked, kind, project);
  const window = all || sort ? page : await readListed(reader, kind, question);
  // Without older entries, the page says itself how many match.
  const isWhole = !window.hasOlder && window.searchedTo === undefined;
  const more = where && all && window.hasOlder ? await countEntries(reader, kind, question) : undefined;
  const amount = where ? more : isWhole ? undefined : all;
  const isCounted = last !== undefined && window.entries.length > 0;
  const first = isCounted ? (saved.first ?? keyAt(window.entries, 0)) : undefined;
  const entries = last === undefined ? window.entries : newestOf(window.entries, last, first);
  const matches = window.matches ?? window.before + entries.length;
  const found = last !== undefined ? entries.length : Math.max(amount?.entries ?? 0, matches);
  const searchedTo = isCounted && entries.length === last ? undefined : (window.searchedTo ?? amount?.searchedTo);
  const isCut = sort !== undefined && top === undefined && found > entries.length;
  const note = `Only the first ${formatCount(entries.length)} are listed. The CSV has all, the newest first.`;
  const figures = { found, of: where && wholeOf(all)?.entries, ...(sort && { top: entries.length }), searchedTo };
  return {
    ...opened,
    ...window,
    ...figures,
    entries,
    saved: { ...saved, first },
    heading: headingOf(opened, figures),
    ...(isCut && { note }),
    wider: found === 0 ? await widerThan(opened) : [],
  };
}

interface Window {
  /** Newest first, without gaps: the page, and its neighbours. */
  entries: readonly Entry[];
  /** How many matching entries precede them. */
  before: number;
  /** Whether older ones follow. */
  hasOlder: boolean;
  /** The time back to which the log was searched, if the search ended early. */
  searchedTo?: string | undefined;
  /** Whether a further search would go on there. */
  canGoOn?: boolean;
  /** How many entries match, if all of them were read. */
  matches?: number;
}

async function readWindow(opened: Opened<Bookmark>, request: Request): Promise<Window> {
  const { command, spot, first } = opened.saved;
  const { kind, last, sort } = command;
  if (sort) return readSorted(opened, sort, request);
  const reader = readerOf(opened.project);
  const question = questionOf(opened);
  const mayGoOn = () => request.now() < request.answerBy - LAST_READ_MS;
  if (last === undefined) return readAround(reader, kind, question, spot, mayGoOn);
  // The newest N are read together, and paged here.
  const from: Spot = first === undefined || timeIn(first) === undefined ? NEWEST : { is: "older", key: first };
  const window = await readAround(reader, kind, question, from, mayGoOn, last + 1);
  return { ...window, before: 0, hasOlder: false };
}

/** All that a service without counts lists. */
export async function readListed(reader: LogReader, kind: LogKind, question: Question): Promise<Window> {
  const { data, complete, searchedTo } = await reader.list(kind, { ...question, limit: MOST_AT_ONCE });
  return { entries: data, before: 0, hasOlder: false, ...(!complete && { searchedTo }) };
}

// Entries of the same time are read together; more of them than this are no log that people page through.
const MOST_AROUND = 10_000;

/** Reads as many entries around a spot as its page needs, and some more, which tell equal entries apart. */
export async function readAround(
  reader: LogReader,
  kind: LogKind,
  question: Question,
  spot: Spot,
  mayGoOn: () => boolean,
  rows = ROWS,
): Promise<Window> {
  // Its own entries, and some that may be just as old.
  const limit = Math.min(rows + 2 * ROWS, MOST_AT_ONCE);
  const read = async (part: ListLogsRequest, isEnough: (entries: readonly Entry[]) => boolean) => {
    let page = await reader.list(kind, { ...question, ...part });
    const entries: Entry[] = [...page.data];
    while (page.nextCursor && entries.length < MOST_AROUND && mayGoOn() && !isEnough(entries)) {
      page = await reader.list(kind, { ...question, ...part, limit: MOST_AT_ONCE, cursor: page.nextCursor });
      entries.push(...page.data);
    }
    return { entries, page };
  };
  const micros = spot.is === "newest" ? undefined : timeIn(spot.key);
  if (spot.is === "newest" || micros === undefined) {
    const { entries, page } = await read({ limit }, (some) => isEnd(some, rows));
    return { entries, before: 0, ...endOf(page, entries, rows) };
  }
  const from = timestampOf(micros + 1);
  const need = spot.is === "around" ? spot.before + 1 : rows;
  const [newer, older, preceding] = await Promise.all([
    spot.is === "older"
      ? undefined
      : read({ since: from, order: "oldest", limit: need }, (some) => some.length >= need),
    read({ until: from, limit }, (some) => isEnd(some, positionOf(some, spot.key).at + rows + 1)),
    amountOf(reader, kind, { ...question, since: from }),
  ]);
  const above = newer ? [...newer.entries].reverse() : [];
  return {
    entries: [...above, ...older.entries],
    before: Math.max(preceding.entries - above.length, 0),
    // At least the entry that the spot refers to, and one behind it.
    ...endOf(older.page, older.entries, positionOf(older.entries, spot.key).at + 2),
  };
}

/** Whether the entries reach past all that are as old as the one at a position. */
function isEnd(entries: readonly Entry[], at: number): boolean {
  const [last, needed] = [entries.at(-1)?.timestamp, entries[at - 1]?.timestamp];
  return entries.length > at && needed !== last;
}

/** What follows the last page that was read. */
function endOf(page: LogPage<LogKind>, entries: readonly Entry[], needed: number) {
  const isCutShort = page.nextCursor !== undefined && entries.length < needed;
  const searchedTo = isCutShort || (!page.complete && page.nextCursor === undefined) ? page.searchedTo : undefined;
  return { hasOlder: page.nextCursor !== undefined && !isCutShort, searchedTo, canGoOn: isCutShort };
}

/** How many sorted entries can be paged. */
const MOST_SORTED = 1000;

/** The first entries in an order, of all that match. */
async function readSorted(opened: Opened<Bookmark>, order: SortOrder, request: Request): Promise<Window> {
  const { kind, top = MOST_SORTED } = opened.saved.command;
  const compare = comparing(kind, order);
  let best: Entry[] = [];
  let matches = 0;
  const searchedTo = await readAll(opened, questionOf(opened), request, (page) => {
    matches += page.length;
    // The sort is stable: of equal entries, the newest stay first.
    best = [...best, ...page].sort(compare).slice(0, top);
  });
  return { entries: best, matches, before: 0, hasOlder: false, searchedTo };
}

/** The most entries that are read for a file or for an order. */
const MOST_READ = 100_000;

/**
 * Reads all matching entries, newest first, page by page; returns the time back to which it did, undefined if that is
 * all. A page is given back to the budget as soon as it was used.
 */
export async function readAll(
  { project, saved }: Opened<Bookmark>,
  question: Question,
  request: Pick<Request, "clients" | "reads" | "teamId" | "turnOf" | "aside">,
  use: (entries: readonly Entry[]) => void,
): Promise<string | undefined> {
  let cursor: string | undefined;
  let [rows, oldest]: [number, string | undefined] = [0, undefined];
  for (;;) {
    const allowance = request.reads.open(request.teamId);
    try {
      // People wait longer for all entries than for a page.
      const caller = { ...request, allowance, answerBy: Number.POSITIVE_INFINITY };
      const reader = readerOf({ id: project.id, ...(await request.clients.of(project.connection, caller)) });
      const limit = Math.min(MOST_AT_ONCE, MOST_READ - rows);
      const page = await reader.list(saved.command.kind, { ...question, limit, cursor });
      use(page.data);
      rows += page.data.length;
      oldest = page.data.at(-1)?.timestamp ?? oldest;
      cursor = page.nextCursor;
      if (cursor === undefined) return page.complete ? undefined : page.searchedTo;
      if (rows >= MOST_READ) return oldest;
    } finally {
      allowance.end();
    }
  }
}

/** What is found without time or filters; without both only if neither alone helps. */
async function widerThan({ saved: { command }, project }: Opened<Bookmark>): Promise<Wider[]> {
  const { since, until, filters, ...rest } = command;
  const hasTime = since !== undefined || until !== undefined;
  const tried = async (without: string, wider: CommandNamed<"logs">): Promise<Wider> => {
    const question = searchOf(wider, project.id);
    const { entries, searchedTo } = await amountOf(readerOf(project), wider.kind, question);
    return { without, command: wider, count: entries, isAtLeast: searchedTo !== undefined };
  };
  const one = await Promise.all([
    ...(hasTime ? [tried("the time", { ...rest, filters })] : []),
    ...(filters.length > 0 ? [tried("the filters", { ...command, filters: [] })] : []),
  ]);
  const useful = one.filter(({ count }) => count > 0);
  if (useful.length > 0) return useful;
  return [await tried("time and filters", { ...rest, filters: [] })].filter(({ count }) => count > 0);
}

/** A time in microseconds since 1970, as the service takes it. */
function timestampOf(micros: number): string {
  const milliseconds = Math.floor(micros / 1000);
  const rest = String(micros - milliseconds * 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
