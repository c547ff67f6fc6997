import type { EventLogEntry, EventLogWhere, LogEntryOf, LogKind, TextTest } from "@media-ops/contract";
import { type CallOptions, type ListLogsRequest, type LogPage, type LogsApi, MediaNotFoundError } from "@media-ops/sdk";
import { isWithin, type RangeKeys, toWire } from "./range.js";

/** The calls of a client that a trace or an explanation makes. */
export interface LogsClient {
  readonly logs: Pick<LogsApi, "all" | "count">;
}

/** The test of a text that an entry without the field passes, and no other. */
export const isAbsent: TextTest = { not: { like: "*" } };

/** What to search a log for. */
interface LogQuestion<K extends LogKind>
  extends Pick<ListLogsRequest<K>, "where" | "order" | "limit">,
    Partial<RangeKeys> {}

/** The logs, as one trace or one explanation reads them. */
export interface LogReader {
  /** The logs that the service lacks, as far as they were read. */
  readonly missing: Set<LogKind>;
  /** The pages of a search, without what is no entry; none if the service lacks the log. */
  pages<K extends LogKind>(kind: K, question: LogQuestion<K>): AsyncGenerator<LogPage<K>, void, undefined>;
  /**
   * All events that meet a condition, newest first, if they fit on a page; undefined otherwise. They are read once: later
   * searches by the same condition find them here.
   */
  allEvents(where: EventLogWhere): Promise<EventLogEntry[] | undefined>;
  /** The first matches, from the first page that has some. */
  first<K extends LogKind>(kind: K, question: LogQuestion<K>, maxPages?: number): Promise<FirstMatches<K>>;
}

/** The first matches of a search. */
interface FirstMatches<K extends LogKind> {
  entries: LogEntryOf<K>[];
  /** If there are none, and the range was not searched to its end: how far it was searched. */
  searchedTo: string | undefined;
}

/** Creates the reader of one call. */
export function createReader({ logs }: LogsClient, project_id: string | undefined, options: CallOptions): LogReader {
  const missing = new Set<LogKind>();
  const shared = { ...options, listings: new Map() };
  /** Whole answers about events, by their conditions. */
  const known = new Map<string, LogPage<LogKind>>();

  async function* pages<K extends LogKind>(
    kind: K,
    question: LogQuestion<K>,
  ): AsyncGenerator<LogPage<K>, void, undefined> {
    if (missing.has(kind)) return;
    const whole = kind === "events" && known.get(JSON.stringify(question.where));
    if (whole) {
      const { order, since, until } = question;
      const data = whole.data.filter(({ timestamp }) => isWithin(timestamp, { since, until })) as LogEntryOf<K>[];
      yield { ...whole, data: order === "oldest" ? data.reverse() : data };
      return;
    }
    try {
      for await (const page of logs.all(kind, { ...question, ...toWire(question), project_id }, shared).pages()) {
        yield {
          ...page,
          data: page.data.filter((entry) => typeof entry === "object" && entry !== null && !Array.isArray(entry)),
        };
      }
    } catch (error) {
      if (kind !== "events" || !(error instanceof MediaNotFoundError)) throw error;
      // Webhooks say what they are about since there are events.
      missing.add("events").add("webhooks");
    }
  }

  async function first<K extends LogKind>(
    kind: K,
    question: LogQuestion<K>,
    maxPages = Number.POSITIVE_INFINITY,
  ): Promise<FirstMatches<K>> {
    let searchedTo: string | undefined;
    let count = 0;
    for await (const { data, complete, ...page } of pages(kind, question)) {
      if (data.length > 0) return { entries: data, searchedTo: undefined };
      searchedTo = complete ? undefined : page.searchedTo;
      count += 1;
      if (count >= maxPages) break;
    }
    return { entries: [], searchedTo };
  }

  async function allEvents(where: EventLogWhere): Promise<EventLogEntry[] | undefined> {
    for await (const page of pages("events", { where })) {
      if (page.complete) known.set(JSON.stringify(where), page);
      return page.complete ? page.data : undefined;
    }
    return undefined;
  }

  return { missing, pages, allEvents, first };
}
