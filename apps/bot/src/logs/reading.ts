import { amountOf, type LogService } from "@media-ops/reports";
import type { CountLogsRequest, ListLogsRequest, LogKind, LogPage } from "@media-ops/sdk";
import type { Entry, Project } from "../connections/clients.js";
import type { Request } from "../request.js";
import { positionOf, ROWS, type Spot, timeIn } from "./bookmark.js";

/** The calls of a project's service. */
export interface LogReader extends LogService {
  list(kind: LogKind, question: ListLogsRequest): Promise<LogPage<LogKind>>;
}

/** The service of a project, as the formatters ask it. */
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

/** All that a service without counts lists. */
export async function readListed(reader: LogReader, kind: LogKind, question: Question): Promise<Window> {
  const { data, complete, searchedTo } = await reader.list(kind, { ...question, limit: MOST_AT_ONCE });
  return { entries: data, before: 0, hasOlder: false, ...(!complete && { searchedTo }) };
}

/** Which entries are meant. */
export type Question = Pick<ListLogsRequest, "where"> & { since?: string; until?: string };

/** The entries around a page. */
export interface Window {
  /** Newest first, without gaps. */
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

// The contract's limit.
const MOST_AT_ONCE = 1000;
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

/** The most entries that are read for a file or for an order. */
const MOST_READ = 100_000;

/**
 * Reads all matching entries, newest first, page by page; returns the time back to which it did, undefined if that is
 * all. A page is given back to the budget as soon as it was used.
 */
export async function readAll(
  { project, command }: { project: Project; command: { kind: LogKind } },
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
      const page = await reader.list(command.kind, { ...question, limit, cursor });
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

/** A time in microseconds since 1970, as the service takes it. */
function timestampOf(micros: number): string {
  const milliseconds = Math.floor(micros / 1000);
  const rest = String(micros - milliseconds * 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
