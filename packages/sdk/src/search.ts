import { fieldsOf, isListOf, isObject, type MediaResponse } from "./answer.js";
import { MediaBadRequestError, MediaResponseError } from "./errors.js";
import type { LogCounts } from "./generated/extensions.js";
import {
  type CountLogsRequest,
  countPath,
  isCapped,
  type ListLogsRequest,
  type LogEntryOf,
  type LogKind,
  logPath,
  MAX_ENTRIES,
} from "./operations.js";
import { type CallOptions, check, checkCount, checkRequest } from "./options.js";
import { timeKey } from "./time.js";
import { MEMORY_MS, type Send, type SendOptions } from "./transport.js";
import { matches } from "./where.js";

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

/** The searches of one client. */
export type Searches = ReturnType<typeof createSearches>;

// Sorts after every time.
const END_OF_TIME = "~";
/** How long entries are kept, by contract. */
const WINDOW_MS = 30 * 24 * 3_600_000;
// Without the cursor: a service that refuses nothing else knows cursors.
const REFUSED_MEMBER = /"\/(since|until|where|limit|order|wait_s)"/;

/** Creates the searches of a client. */
export function createSearches(send: Send, now: () => number) {
  let isPlainUntil = 0;

  /** Asks the service to search; undefined if it knows no searches. */
  async function search<K extends LogKind>(
    kind: K,
    request: ListLogsRequest<K>,
    options: SendOptions,
  ): Promise<LogPage<K> | undefined> {
    const body = { ...request, ...toWire(rangeOf(request)), wait_s: options.waitSeconds };
    if (now() < isPlainUntil && !request.cursor) return undefined;
    const mustKnow = request.cursor && !options.isFollowing;
    try {
      const answer = await send(logPath(kind), isList<LogEntryOf<K>>, body, options);
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
    isPlainUntil = now() + MEMORY_MS;
    return undefined;
  }

  /** Lists without a search, and filters what was listed. */
  async function scan<K extends LogKind>(
    kind: K,
    request: ListLogsRequest<K>,
    options: SendOptions,
  ): Promise<LogPage<K>> {
    const { since = "", until = END_OF_TIME } = rangeOf(request);
    const { project_id, order } = request;
    const { listings } = options;
    const listing = listings?.get(kind) ?? send(logPath(kind), isList<Listed>, { project_id }, options);
    listings?.set(kind, listing);
    const answer = await listing;
    const isMatch = filterOf(request);
    const data = answer.data.filter((entry): entry is LogEntryOf<K> => isMatch(entry));
    const [today = "", start = ""] = [now(), now() - WINDOW_MS].map((at) => timeKey(new Date(at)));
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

  async function list<K extends LogKind>(
    kind: K,
    request: ListLogsRequest<K>,
    options: CallOptions,
  ): Promise<LogPage<K>> {
    // Also with a member that only JavaScript lets pass: the service says what is wrong with it.
    const isSearch = Object.entries(request ?? {}).some(
      ([name, value]) => name !== "project_id" && value !== undefined,
    );
    const page = (isSearch && (await search(kind, request, options))) || (await scan(kind, request, options));
    const { limit = page.data.length } = request;
    if (page.data.length <= limit) return page;
    const data = page.data.slice(0, limit);
    return { ...page, data, complete: false, searchedTo: data.at(-1)?.timestamp };
  }

  /** Walks all pages. */
  function walk<K extends LogKind>(kind: K, request: ListLogsRequest<K>, options: SendOptions): LogWalk<K> {
    async function* pages(): AsyncGenerator<LogPage<K>, void, undefined> {
      let { cursor, limit = MAX_ENTRIES } = request;
      do {
        const page: LogPage<K> =
          (await search(kind, { ...request, limit, cursor }, options)) ?? (await scan(kind, request, options));
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

  return { list, walk, search, scan };
}

/** Counts the entries of a log. */
export type Count = (
  kind: LogKind,
  request: CountLogsRequest,
  options: CallOptions,
) => Promise<MediaResponse<LogCounts>>;

/** Creates the counting of a client. */
export function createCount(send: Send): Count {
  return async (kind, request, options) => {
    logPath(kind);
    return send(countPath, isCounts, { ...request, ...toWire(rangeOf(request)), kind }, options);
  };
}

function isCounts(body: unknown): body is LogCounts {
  const { total, groups, periods } = fieldsOf(body);
  const isCount = (part: unknown): boolean => typeof fieldsOf(part).count === "number";
  const isGroup = (part: unknown): boolean => isCount(part) && isObject(fieldsOf(part).by);
  return isCount(total) && isListOf(groups, isGroup) && isListOf(periods, isCount);
}

/** What requests of all kinds of logs have in common. */
type Question = Omit<ListLogsRequest, "where"> & { where?: object | undefined };

/** An entry of a listing, of which nothing is certain. */
type Listed = { timestamp?: unknown } | null;

/** A range as texts that sort like the times. */
export interface RangeKeys {
  since: string | undefined;
  until: string | undefined;
}

/** Validates a search before it is sent, and returns its range as texts that sort like the times. */
function rangeOf(request: Question): RangeKeys {
  checkRequest(request);
  const { limit = 1, order = "newest", where = {} } = request;
  checkCount("limit", limit, 1, MAX_ENTRIES);
  check(/^(newest|oldest)$/.test(order), `order must be "newest" or "oldest", not "${order}".`);
  check(where !== null && typeof where === "object", `where must be an object, not of type ${typeof where}.`);
  const read = (member: "since" | "until"): string | undefined => {
    const time = request[member];
    const key = timeKey(time);
    check(time === undefined || key, `${member} must be an RFC 3339 time or a Date, not "${time}".`);
    return key;
  };
  const since = read("since");
  const until = read("until");
  check(!since || !until || since < until, `until must be later than since (${since}Z), not ${until}Z.`);
  return { since, until };
}

/** Whether an entry is in the range of a search, and meets its conditions. */
export function filterOf(request: Question): (entry: Listed) => boolean {
  const { since = "", until = END_OF_TIME } = rangeOf(request);
  const isRange = since !== "" || until !== END_OF_TIME;
  return (entry) => {
    const time = isRange ? timeOf(entry) : since;
    return time >= since && time < until && (!request.where || matches(request.where, { ...entry }));
  };
}

/** A range as the service expects it. */
function toWire({ since, until }: Partial<RangeKeys>): RangeKeys {
  return { since: since && `${since}Z`, until: until && `${until}Z` };
}

/** The sorting text of an entry's time; empty if it has none. */
function timeOf(entry: Listed): string {
  return timeKey(entry?.timestamp) ?? "";
}

/** The sorting text of the last entry that has a time; empty if none has. */
function lastTimeOf(entries: readonly Listed[]): string {
  // Parsing all times would take longer than the call.
  for (let at = entries.length - 1; at >= 0; at--) {
    const time = timeOf(entries[at] ?? null);
    if (time !== "") return time;
  }
  return "";
}

function isList<E>(body: unknown): body is E[] {
  return Array.isArray(body);
}
