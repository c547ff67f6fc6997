import type { EventLogEntry, EventLogWhere, LogEntryOf, LogKind, TextTest } from "@media-ops/contract";
import {
  type CallOptions,
  type ListLogsRequest,
  type LogPage,
  type LogsApi,
  MediaNotFoundError,
  MediaUsageError,
  parseTimestamp,
  timeKey,
} from "@media-ops/sdk";

/** A range of time, as requests have it. */
export interface TimeRange {
  /** The start: an RFC 3339 time or a `Date`. @default the oldest entry that is kept */
  since?: string | Date | undefined;
  /** The excluded end. @default now */
  until?: string | Date | undefined;
}

/** A range as texts that sort like the times. */
export interface RangeKeys {
  since: string | undefined;
  until: string | undefined;
}

/** Validates the range of a request, and returns it as texts that sort like the times. */
export function rangeOf(request: TimeRange): RangeKeys {
  check(
    typeof request === "object" && request !== null,
    `The request must be an object such as { project_id: "demo" }, not of type ${typeof request}.`,
  );
  const [since, until] = (["since", "until"] as const).map((member) => {
    const time = request[member];
    const key = timeKey(time);
    check(time === undefined || key, `${member} must be an RFC 3339 time or a Date, not "${time}".`);
    return key;
  });
  check(!since || !until || since < until, `until must be later than since (${since}Z), not ${until}Z.`);
  return { since, until };
}

/** A range as the service expects it. */
export function toWire({ since, until }: Partial<RangeKeys>): RangeKeys {
  return { since: since && `${since}Z`, until: until && `${until}Z` };
}

/** Whether a time is in a range. */
export function isWithin(time: string, { since = "", until }: Partial<RangeKeys>): boolean {
  const key = timeKey(time) ?? "";
  return key >= since && (until === undefined || key < until);
}

/** A sorting text after that of a time, and before that of any other time an entry can have. */
export function justAfter(key: string): string {
  const [seconds, fraction = ""] = key.split(".");
  return `${seconds}.${fraction.padEnd(12, "0")}1`;
}

/** The milliseconds since 1970 of a sorting text; `undefined` without one. */
export const millisecondsAt = (key: string | undefined): number | undefined =>
  key === undefined ? undefined : parseTimestamp(`${key}Z`)?.epochMilliseconds;

/** Validates a whole number. */
export function checkCount(name: string, value: number, min = 0, max?: number): void {
  const isCount = Number.isInteger(value) && value >= min && !(max && value > max);
  check(isCount, `${name} must be a count${max ? ` from ${min} to ${max}` : ""}, not ${value}.`);
}

/** Throws a usage error unless a condition holds. */
export function check(holds: unknown, message: string): asserts holds {
  if (!holds) throw new MediaUsageError(message);
}

/** The calls of a client that a trace or an explanation makes. */
export interface LogsClient {
  readonly logs: Pick<LogsApi, "all" | "count">;
}

/** The test of a text that an entry without the field passes, and no other. */
export const isAbsent: TextTest = { not: { like: "*" } };

/** What to search a log for. */
type LogQuestion<K extends LogKind> = Pick<ListLogsRequest<K>, "where" | "order" | "limit"> & Partial<RangeKeys>;

/** The logs, as one trace or one explanation reads them. */
export type LogReader = ReturnType<typeof createReader>;

/** Creates the reader of one call. */
export function createReader({ logs }: LogsClient, project_id: string | undefined, options: CallOptions) {
  /** The logs that the service lacks, as far as they were read. */
  const missing = new Set<LogKind>();
  const shared = { ...options, listings: new Map() };
  /** Whole answers about events, by their conditions. */
  const known = new Map<string, LogPage<LogKind>>();

  /** The pages of a search, without what is no entry; none if the service lacks the log. */
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

  /** The first matches, from the first page that has some; if none has, how far the range was searched, unless wholly. */
  async function first<K extends LogKind>(kind: K, question: LogQuestion<K>, maxPages = Infinity) {
    let searchedTo: string | undefined;
    let count = 0;
    for await (const { data, complete, ...page } of pages(kind, question)) {
      if (data.length > 0) return { entries: data, searchedTo: undefined };
      searchedTo = complete ? undefined : page.searchedTo;
      count += 1;
      if (count >= maxPages) break;
    }
    return { entries: [] as LogEntryOf<K>[], searchedTo };
  }

  /**
   * All events that meet a condition, newest first, if they fit on a page; undefined otherwise. They are read once: later
   * searches by the same condition find them here.
   */
  async function allEvents(where: EventLogWhere): Promise<EventLogEntry[] | undefined> {
    for await (const page of pages("events", { where })) {
      if (page.complete) known.set(JSON.stringify(where), page);
      return page.complete ? page.data : undefined;
    }
    return undefined;
  }

  return { missing, pages, allEvents, first };
}
