import {
  type CountLogsRequest as ContractCountRequest,
  type ListSessionLogsRequest,
  type LogCounts,
  type LogEntryOf,
  type LogKind,
  logPaths,
  type paths,
} from "@media-ops/contract";
import {
  MAX_ENTRIES,
  MEMORY_MS,
  type MediaConnection,
  type MediaPromise,
  type Optional,
  postIfKnown,
  toMediaPromise,
  withTimes,
} from "./api.js";
import { MediaBadRequestError, MediaResponseError, MediaUsageError } from "./errors.js";
import type { MediaResponse, SendOptions } from "./http.js";
import { type CallOptions, check } from "./options.js";
import { timeKey } from "./time.js";
import { matches } from "./where.js";

type ListingOf<K extends LogKind> = paths[(typeof logPaths)[K]]["post"];

/** What the contract allows in the request of a kind's listing. */
type ListingRequest<K extends LogKind> = NonNullable<ListingOf<K>["requestBody"]>["content"]["application/json"];

/** A range of time. Each end is an RFC 3339 text, with any number of digits, or a `Date`. */
interface Range {
  /** Entries with this `timestamp` or a later one; default: the last 30 days. */
  since?: string | Date | undefined;
  /** Entries with an earlier `timestamp` than this; default: all until now. */
  until?: string | Date | undefined;
}

/** Conditions on the entries of a kind of log, which must all hold: `{ failed: true, url: { contains: "hooks" } }`. */
export type LogWhere<K extends LogKind = LogKind> = NonNullable<ListingRequest<K>["where"]>;

/** What to list of a kind of log. All members are optional; without any, the newest 1000 entries. */
export interface ListLogsRequest<K extends LogKind = LogKind>
  extends Range,
    Optional<Omit<ListSessionLogsRequest, keyof Range | "where" | "wait_s">> {
  /** Conditions on the entries, which must all hold. */
  where?: LogWhere<K> | undefined;
}

/** The fields of a kind of log by which its entries can be counted. */
type CountField<K extends LogKind> = K extends LogKind
  ? Extract<NonNullable<ContractCountRequest["by"]>[number], keyof LogWhere<K>>
  : never;

/** Which entries of a kind of log to count, and how to group them. All members are optional. */
export interface CountLogsRequest<K extends LogKind = LogKind>
  extends Range,
    Optional<Omit<ContractCountRequest, keyof Range | "kind" | "where" | "by">> {
  /** Conditions on the entries, as in the log's listing. */
  where?: LogWhere<K> | undefined;
  /** Counts each combination of the values of these fields, one or two. */
  by?: CountField<K>[] | undefined;
}

/** Refuses a kind of log that does not exist; JavaScript programs may pass one. */
export function checkKind(kind: LogKind): void {
  if (Object.hasOwn(logPaths, kind)) return;
  throw new MediaUsageError(`Unknown kind of log "${kind}". Use one of: ${Object.keys(logPaths).join(", ")}.`);
}

/** Whether a response is full, so that older entries of the last 30 days may be missing. */
export function isCapped(entries: readonly unknown[]): boolean {
  return entries.length >= MAX_ENTRIES;
}

/** A page of a log, with how far the search has got. */
export interface LogPage<K extends LogKind> extends MediaResponse<LogEntryOf<K>[]> {
  /** The `cursor` of the next page; undefined if there is none. */
  nextCursor: string | undefined;
  /** The `cursor` that follows the log from here on: on the first page of a search for the newest, without `until`. */
  followCursor: string | undefined;
  /**
   * How far the search got: every match newer than this (older for `order: "oldest"`) is in the pages so far. If the
   * page is neither complete nor has a next one, only entries newer than this were searched. Undefined while following.
   */
  searchedTo: string | undefined;
  /**
   * Whether the pages up to this one have all matches of the range. If not, `nextCursor` leads on; without one, the
   * service knows no searches, and the rest of the range is out of reach.
   */
  complete: boolean;
}

/** All matching entries of a log, page by page. */
export interface LogWalk<K extends LogKind> extends AsyncIterable<LogEntryOf<K>> {
  /** The pages, for callers that need to know how far the walk got; the last one says whether it was complete. */
  pages(): AsyncGenerator<LogPage<K>, void, undefined>;
}

/**
 * What was listed from a service that knows no searches. Searches with the same map share it, so that each log is listed
 * once for all of them.
 */
export type SharedListings = Map<LogKind, Promise<MediaResponse<Listed[]>>>;

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /**
   * For several searches at a time, of a service that may know none: pass each the same new `Map`.
   * @default each lists by itself
   */
  listings?: SharedListings | undefined;
}

/** Options of a search, with those of this package. */
export type AnySearchOptions = SearchOptions & SendOptions;

// Sorts after every time.
const END_OF_TIME = "~";
/** How long entries are kept, by contract. */
export const WINDOW_MS = 30 * 24 * 3_600_000;
// Without the cursor: a service that refuses nothing else knows cursors.
const REFUSED_MEMBER = /"\/(since|until|where|limit|order|wait_s)"/;

// Until when a service is taken for one that knows no searches.
const plainUntil = new WeakMap<MediaConnection, number>();

/** Asks for a page of a log. */
async function readPage<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  body: object,
  options: SendOptions,
): Promise<MediaResponse<LogEntryOf<K>[]>> {
  checkKind(kind);
  const path: (typeof logPaths)[LogKind] = logPaths[kind];
  const answer =
    path === "/orgs/list-event-logs"
      ? await postIfKnown(connection, path, body, [], options)
      : await connection.post(path, body, [], options);
  // By contract.
  return { ...answer, data: answer.data as LogEntryOf<K>[] };
}

/** Asks the service to search; undefined if it knows no searches. */
export async function search<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  request: ListLogsRequest<K>,
  options: AnySearchOptions,
): Promise<LogPage<K> | undefined> {
  const { body } = checkSearch(request);
  if (connection.now() < (plainUntil.get(connection) ?? 0) && !request.cursor) return undefined;
  const mustKnow = request.cursor && !options.isFollowing;
  try {
    const answer = await readPage(connection, kind, { ...body, wait_s: options.waitSeconds }, options);
    const read = (name: string): string | undefined => answer.headers.get(name) ?? undefined;
    const searchedTo = read("x-searched-to");
    const nextCursor = read("x-next-cursor");
    if (searchedTo ?? nextCursor) {
      return { ...answer, nextCursor, followCursor: read("x-follow-cursor"), searchedTo, complete: !nextCursor };
    }
    const { status, requestId } = answer;
    if (mustKnow)
      throw new MediaResponseError("The service ignored the cursor. Search without it.", { status, requestId });
  } catch (error) {
    const faults = error instanceof MediaBadRequestError ? JSON.stringify(error.problem) : "";
    const isUnknown = REFUSED_MEMBER.test(faults) && (!request.cursor || faults.includes('"/cursor"'));
    if (mustKnow || !isUnknown) throw error;
  }
  plainUntil.set(connection, connection.now() + MEMORY_MS);
  return undefined;
}

/** Lists without a search, and filters what was listed. */
export async function scan<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  request: ListLogsRequest<K>,
  options: AnySearchOptions,
): Promise<LogPage<K>> {
  const { since = "", until = END_OF_TIME } = checkSearch(request);
  const { project_id, order } = request;
  const { listings } = options;
  const listing = listings?.get(kind) ?? readPage(connection, kind, { project_id }, options);
  listings?.set(kind, listing);
  const answer = await listing;
  const isMatch = filterOf(request);
  const data = answer.data.filter((entry): entry is LogEntryOf<K> => isMatch(entry));
  const now = connection.now();
  const [today = "", start = ""] = [now, now - WINDOW_MS].map((at) => timeKey(new Date(at)));
  const oldest = isCapped(answer.data) && (lastTimeOf(answer.data) || today);
  // Of the entries as old as the oldest one, some may be missing.
  const complete = oldest === false || oldest < since;
  const isReversed = order === "oldest";
  const end = isReversed ? [until, today].sort().at(0) : [since, start].sort().at(-1);
  return {
    ...answer,
    data: isReversed ? data.reverse() : data,
    nextCursor: undefined,
    followCursor: undefined,
    searchedTo: `${complete ? end : oldest}Z`,
    complete,
  };
}

async function listPage<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  request: ListLogsRequest<K>,
  options: SearchOptions,
): Promise<LogPage<K>> {
  // Also with a member that only JavaScript lets pass: the service says what is wrong with it.
  const isSearch = Object.entries(request ?? {}).some(([name, value]) => name !== "project_id" && value !== undefined);
  const found = isSearch && (await search(connection, kind, request, options));
  const page = found || (await scan(connection, kind, request, options));
  const { limit = page.data.length } = request;
  if (page.data.length <= limit) return page;
  const data = page.data.slice(0, limit);
  return { ...page, data, complete: false, searchedTo: data.at(-1)?.timestamp };
}

/** Lists a page of a log, like `client.logs.list`, in programs that are to be small. */
export function listLogs<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  request: ListLogsRequest<K> = {},
  options: SearchOptions = {},
): MediaPromise<LogEntryOf<K>[], LogPage<K>> {
  return toMediaPromise(listPage(connection, kind, request, options));
}

/** Walks all pages of a log. */
export function walkLogs<K extends LogKind>(
  connection: MediaConnection,
  kind: K,
  request: ListLogsRequest<K> = {},
  options: SearchOptions = {},
): LogWalk<K> {
  async function* pages(): AsyncGenerator<LogPage<K>, void, undefined> {
    let { cursor, limit = MAX_ENTRIES } = request;
    do {
      const page: LogPage<K> =
        (await search(connection, kind, { ...request, limit, cursor }, options)) ??
        (await scan(connection, kind, request, options));
      yield page;
      cursor = page.nextCursor;
    } while (cursor);
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) {
        for (const entry of data) {
          options.signal?.throwIfAborted();
          yield entry;
        }
      }
    },
  };
}

/** Counts the entries of a log. */
export async function countLogs(
  connection: MediaConnection,
  kind: LogKind,
  request: CountLogsRequest,
  options?: CallOptions,
): Promise<MediaResponse<LogCounts>> {
  checkKind(kind);
  checkSearch(request);
  const shape = { total: { count: 0 }, groups: [{ count: 0, by: {} }], periods: [{ count: 0 }] };
  return postIfKnown(connection, "/orgs/count-logs", { ...request, kind }, shape, options);
}

/** What requests of all kinds of logs have in common. */
type Question = Omit<ListLogsRequest, "where"> & { where?: object | undefined };

/** An entry of a listing, of which nothing is certain. */
type Listed = { timestamp?: unknown } | null;

/** Validates a search before it is sent. Returns its body, and its range as texts that sort like the times. */
function checkSearch(request: Question): { body: Question; since: string | undefined; until: string | undefined } {
  const body = withTimes(request);
  const { order = "newest", where = {} } = request;
  check(/^(newest|oldest)$/.test(order), `order must be "newest" or "oldest", not "${order}".`);
  check(where !== null && typeof where === "object", `where must be an object, not of type ${typeof where}.`);
  const [since, until] = [body.since, body.until].map(timeKey);
  check(!since || !until || since < until, `until must be later than since (${since}Z), not ${until}Z.`);
  return { body, since, until };
}

/** Whether an entry is in the range of a search, and meets its conditions. */
export function filterOf(request: Question): (entry: Listed) => boolean {
  const { since = "", until = END_OF_TIME } = checkSearch(request);
  const isRange = since !== "" || until !== END_OF_TIME;
  return (entry) => {
    const time = isRange ? timeOf(entry) : since;
    return time >= since && time < until && (!request.where || matches(request.where, { ...entry }));
  };
}

/** The sorting text of an entry's time; empty if it has none. */
function timeOf(entry: Listed | undefined): string {
  return timeKey(entry?.timestamp) ?? "";
}

/** The sorting text of the last entry that has a time; empty if none has. */
function lastTimeOf(entries: readonly Listed[]): string {
  // Parsing all times would take longer than the call.
  let at = entries.length - 1;
  while (at > 0 && timeOf(entries[at]) === "") at--;
  return timeOf(entries[at]);
}
