import type { LogKind } from "@media-ops/contract";
import type { CallOptions } from "@media-ops/sdk";
import { createReader, type LogsClient } from "../log-reader.js";
import { check, checkCount, justAfter, type RangeKeys, rangeOf, type TimeRange, toWire } from "../range.js";
import { MOST_LISTED } from "../service.js";
import { gather, sourcesOf, type TimedLine, type TraceLine } from "./lines.js";
import { identify, isShortened, type TraceCandidate, type TraceSubject, traceSubjects } from "./subject.js";

/** What to trace. */
export interface TraceRequest extends TimeRange {
  /** The project identifier. @default the project that owns the API key */
  project_id?: string | undefined;
  /**
   * The id of a connection, session, client or bundle, or the name or id of a channel. An id may be shortened:
   * `0J9V6TQ2…W1NA` or `0J9V6TQ2…`.
   */
  what: string;
  /** Which of these it is. @default found out */
  as?: TraceSubject | undefined;
  /** The maximum number of lines, from 1 to 1000. @default 200 */
  limit?: number | undefined;
  /** Which end of the range is shown if there are more lines. @default "newest" */
  order?: "newest" | "oldest" | undefined;
  /**
   * How many lines at the end that is shown are left out. In `older` and `newer`, if only some of the lines with the same
   * time fit on a page.
   * @default 0
   */
  skip?: number | undefined;
}

/** All that the logs have about a connection, a session, a client, a bundle or a channel, in the order of time. */
export interface Trace {
  /** Undefined if nothing was found, or if `candidates` has several. */
  subject: TraceSubject | undefined;
  /** The whole id; the given text if nothing was found. */
  id: string;
  /** The entries, oldest first. An end that is in two logs is one line. */
  lines: TraceLine[];
  /** Whether the whole range was searched in all logs that the service has, or `older` and `newer` lead to the rest. */
  complete: boolean;
  /** If not complete, the time back to which all logs were searched. */
  searchedTo: string | undefined;
  /** The logs that the service does not have, or whose entries do not say what they are about. */
  missing: LogKind[];
  /** What the text may name, if it is several things; then there are no lines. */
  candidates: TraceCandidate[];
  /**
   * The request for the lines before these; undefined if the range has none. With `order: "oldest"`, it leads to lines
   * before `since`, if there are any.
   */
  older: TraceRequest | undefined;
  /**
   * The request for the lines after these; undefined if the range has none. With `order: "newest"`, it leads to lines
   * after `until`, if there are any.
   */
  newer: TraceRequest | undefined;
}

const DEFAULT_LIMIT = 200;

/**
 * Merges all that the logs have about a connection, a session, a client, a bundle or a channel, oldest first.
 *
 * @example const { lines } = await askTrace(client, { what: "stage-camera-2", since: "2026-04-01T09:00:00Z" });
 */
export async function askTrace(client: LogsClient, request: TraceRequest, options: CallOptions = {}): Promise<Trace> {
  const range = rangeOf(request);
  const { project_id, what, as, limit = DEFAULT_LIMIT, order = "newest", skip = 0 } = request;
  check(typeof what === "string" && /[^….]/.test(what), `what must be an id or a channel, not "${what}".`);
  const subjects = as === undefined ? traceSubjects : traceSubjects.filter((subject) => subject === as);
  check(subjects.length > 0, `as must be one of ${traceSubjects.join(", ")}, not "${as}".`);
  checkCount("limit", limit, 1, MOST_LISTED);
  checkCount("skip", skip);
  check(/^(newest|oldest)$/.test(order), `order must be "newest" or "oldest", not "${order}".`);
  const reader = createReader(client, project_id, options);
  const nothing = { id: what, subject: undefined, lines: [], candidates: [], older: undefined, newer: undefined };

  let named: Pick<TraceCandidate, "subject" | "id"> | undefined = as && { subject: as, id: what };
  if (!named || isShortened(what)) {
    const { candidates, searchedTo } = await identify(reader, what, subjects, range);
    [named] = candidates;
    if (!named || candidates.length > 1) {
      return { ...nothing, candidates, complete: !searchedTo, searchedTo, missing: [...reader.missing] };
    }
  }

  const { subject, id } = named;
  const wanted = { ...range, order, count: skip + limit + 1 };
  const { lines, floor } = await gather(reader, await sourcesOf(reader, subject, id, wanted), wanted);
  const page = pageOf(lines, { ...range, order, limit, skip });
  const next = (part: PagePart | undefined): TraceRequest | undefined =>
    part && { project_id, what: id, as: subject, limit, ...part, ...toWire(part) };
  return {
    ...nothing,
    subject,
    id,
    lines: page.lines.map(({ at, ...line }) => line),
    complete: !floor,
    searchedTo: floor ? `${floor}Z` : undefined,
    missing: [...reader.missing],
    older: next(page.older),
    newer: next(page.newer),
  };
}

/** The part of a request that says which lines are meant. */
type PagePart = Partial<RangeKeys> & Pick<TraceRequest, "order" | "skip">;

/** A page, and the requests for what is on both sides of it. */
interface TracePage {
  lines: readonly TimedLine[];
  older: PagePart | undefined;
  newer: PagePart | undefined;
}

/** Which lines make up a page. */
interface PageRequest extends RangeKeys {
  order: "newest" | "oldest";
  limit: number;
  skip: number;
}

/** Cuts a page out of the lines that are known from one end of the range on, oldest first. */
function pageOf(known: readonly TimedLine[], { since, until, order, limit, skip }: PageRequest): TracePage {
  const isNewest = order === "newest";
  const end = isNewest ? Math.max(known.length - skip, 0) : Math.min(skip + limit, known.length);
  const start = isNewest ? Math.max(end - limit, 0) : Math.min(skip, end);
  const [before, first] = [known[start - 1]?.at, known[start]?.at];
  const [last, after] = [known[end - 1]?.at, known[end]?.at];
  const lines = known.slice(start, end);
  const countOf = (at: string, some: readonly TimedLine[]): number => some.filter((line) => line.at === at).length;

  // Lines of one time that are on both pages are told apart by their number.
  const older: PagePart =
    first !== undefined && first === before
      ? { until: justAfter(first), skip: countOf(first, known.slice(start)) }
      : { until: first ?? since };
  const newer: PagePart =
    last !== undefined && last === after
      ? { since: last, skip: countOf(last, known.slice(0, end)) }
      : { since: after ?? until };
  if (isNewest) {
    return {
      lines,
      older: start > 0 ? { ...older, since, order: "newest" } : undefined,
      newer: until || end < known.length ? { ...newer, order: "oldest" } : undefined,
    };
  }
  return {
    lines,
    older: since || start > 0 ? { ...older, order: "newest" } : undefined,
    newer: end < known.length ? { ...newer, until, order: "oldest" } : undefined,
  };
}
