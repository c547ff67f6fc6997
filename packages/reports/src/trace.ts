import type {
  ConnectionLogEntry,
  EventLogEntry,
  LogEntryOf,
  LogKind,
  SessionLogEntry,
  TextTest,
} from "@media-ops/contract";
import { type CallOptions, type LogWhere, timeKey } from "@media-ops/sdk";
import {
  check,
  checkCount,
  createReader,
  isAbsent,
  isWithin,
  justAfter,
  type LogReader,
  type LogsClient,
  millisecondsAt,
  type RangeKeys,
  rangeOf,
  type TimeRange,
  toWire,
} from "./log-reader.js";
import { MOST_LISTED } from "./service.js";

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

/** Cuts a page out of the lines that are known from one end of the range on, oldest first, with the requests for both sides. */
function pageOf(
  known: readonly TimedLine[],
  { since, until, order, limit, skip }: RangeKeys & { order: "newest" | "oldest"; limit: number; skip: number },
): { lines: readonly TimedLine[]; older: PagePart | undefined; newer: PagePart | undefined } {
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

/** What a trace can be about. */
export type TraceSubject = "connection" | "session" | "client" | "bundle" | "channel";

/** One of several things that a traced text may name. */
export interface TraceCandidate {
  subject: TraceSubject;
  /** The whole id. */
  id: string;
  /** The time of its newest event. */
  timestamp: string;
}

/** What a text names, the newest first; if there is nothing, and not everything was searched: the time back to which it was. */
interface Named {
  candidates: TraceCandidate[];
  searchedTo: string | undefined;
}

// In order of preference: in some entries, a client without an id of its own has its connection's, and so has its bundle.
const idFields = {
  connection: "connection_id",
  session: "session_id",
  client: "client_id",
  bundle: "bundle_id",
  channel: "channel_id",
} as const satisfies Record<TraceSubject, string>;

/** All that can be traced. */
const traceSubjects = Object.keys(idFields) as TraceSubject[];

type NamingLog = readonly [kind: "events" | "connections" | "sessions", subjects: readonly TraceSubject[]];

// The second ones are asked if the first has nothing: a service may lack it, or have it for less than 30 days.
const namingLogs: readonly (readonly NamingLog[])[] = [
  [["events", traceSubjects]],
  [
    ["connections", traceSubjects],
    ["sessions", ["session", "channel"]],
  ],
];

// Enough to choose from.
const MAX_CANDIDATES = 20;
const ENTRIES = 100;
// Each takes up to 2 s: a part of an id that occurs nowhere would be looked for in all entries of 30 days.
const MAX_PAGES = 5;
const MIN_PREFIX = 4;
// Connections and sessions have such ids. Other names hardly look like them, and are looked for if they have none.
const MEDIA_ID = /^[\dA-Z]{26}$/;
const SHORTENED = /…|\.{3}/;

/** The field by which entries are about a subject. A channel without "@" is given by its name. */
export function traceField(subject: TraceSubject, text: string): string {
  return subject === "channel" && !text.includes("@") ? "channel" : idFields[subject];
}

/** Whether a text is an id of which a part was left out. */
const isShortened = (text: string): boolean => SHORTENED.test(text);

/** Finds out what a text names: an id or a channel, or a part of one. */
async function identify(
  reader: LogReader,
  what: string,
  subjects: readonly TraceSubject[],
  range: RangeKeys,
): Promise<Named> {
  const isMediaId = MEDIA_ID.test(what);
  // All of its events are needed anyway, and most have few.
  for (const subject of isMediaId ? subjects.filter((one) => one === "connection" || one === "session") : []) {
    const events = await reader.allEvents({ [idFields[subject]]: { eq: what } });
    const newest = events?.find(({ timestamp }) => isWithin(timestamp, range));
    if (newest) {
      return { candidates: [{ subject, id: what, timestamp: newest.timestamp }], searchedTo: undefined };
    }
  }
  const isLikely = (subject: TraceSubject): boolean => !isMediaId || subject === "connection" || subject === "session";
  const exact = await find({ eq: what }, subjects.filter(isLikely));
  if (exact.candidates.length > 0 || (!isShortened(what) && what.length < MIN_PREFIX)) return exact;
  if (isMediaId) return find({ eq: what }, subjects);
  const pattern = what.split(SHORTENED).map((piece) => piece.replace(/[*\\]/g, "\\$&"));
  return find({ like: isShortened(what) ? pattern.join("*") : `${pattern}*` }, subjects);

  async function find(test: TextTest, among: readonly TraceSubject[]): Promise<Named> {
    const searchedTo: string[] = [];
    for (const logs of namingLogs) {
      const found = await Promise.all(
        logs.flatMap(([kind, known]) =>
          among.filter((subject) => known.includes(subject)).map((subject) => findIn(kind, subject, test)),
        ),
      );
      const candidates = distinct(found.flatMap((named) => named.candidates));
      if (candidates.length > 0) return { candidates: candidates.slice(0, MAX_CANDIDATES), searchedTo: undefined };
      searchedTo.push(...found.flatMap((named) => named.searchedTo ?? []));
    }
    return { candidates: [], searchedTo: searchedTo.sort().at(-1) };
  }

  /** Finds all ids that pass a test. */
  async function findIn(kind: NamingLog[0], subject: TraceSubject, test: TextTest): Promise<Named> {
    const field = traceField(subject, what);
    const limit = test.eq ? 1 : ENTRIES;
    // By the field's value; undefined for an id that is rather something else's.
    const found = new Map<string, TraceCandidate | undefined>();
    for (;;) {
      const before = found.size;
      const others = before > 0 && { not: { eq: [...found.keys()] } };
      const where = { [field]: { ...test, ...others } };
      const { entries, searchedTo } = await reader.first(kind, { ...range, where, limit }, MAX_PAGES);
      for (const entry of entries) {
        const fields: Record<string, unknown> = { ...entry };
        const [name, id] = [
          String(field === "channel" ? channelName(fields.channel_id) : fields[field]),
          String(fields[idFields[subject]]),
        ];
        if (found.has(name)) continue;
        const isOthers = subjects.some((other, at) => at < subjects.indexOf(subject) && fields[idFields[other]] === id);
        found.set(name, isOthers ? undefined : { subject, id, timestamp: entry.timestamp });
      }
      if (limit === 1 || found.size === before || found.size >= MAX_CANDIDATES) {
        return { candidates: [...found.values()].flatMap((candidate) => candidate ?? []), searchedTo };
      }
    }
  }
}

/** The name of a channel, without its project. */
const channelName = (id: unknown): string => String(id).replace(/@[^@]*$/, "");

/** Each once, the newest first. */
function distinct(candidates: readonly TraceCandidate[]): TraceCandidate[] {
  const byName = new Map(candidates.map((candidate) => [`${candidate.subject} ${candidate.id}`, candidate]));
  const keyOf = ({ timestamp }: TraceCandidate): string => timeKey(timestamp) ?? "";
  return [...byName.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
}

/** When a connection or session existed, and where. What is not known is undefined. */
async function lifeOf(reader: LogReader, subject: "connection" | "session", id: string) {
  const where = { [idFields[subject]]: { eq: id } };
  const ends = ["destroyed", "failed", "vanished"].map((action) => `${subject}.${action}`);
  const all = await reader.allEvents(where);
  const [[first], [end]] = all
    ? [all.slice(-1), all.filter(({ type }) => ends.includes(type))]
    : await Promise.all([
        reader.first("events", { where, order: "oldest", limit: 1 }).then(({ entries }) => entries),
        reader.first("events", { where: { ...where, type: { eq: ends } }, limit: 1 }).then(({ entries }) => entries),
      ]);
  const kind = subject === "connection" ? "connections" : "sessions";
  const [log] = first ? [] : (await reader.first(kind, { where, limit: 1 })).entries;
  return {
    channelId: first?.channel_id ?? log?.channel_id,
    sessionId: first?.session_id ?? log?.session_id,
    since: timeKey(first?.timestamp ?? log?.created_timestamp),
    until: timeKey(end?.timestamp ?? log?.timestamp),
    endEventId: end?.event_id,
  };
}

/** An entry of one of the logs. */
export type TraceLine =
  | { [K in Exclude<LogKind, "events">]: { kind: K; entry: LogEntryOf<K> } }[Exclude<LogKind, "events">]
  | {
      kind: "events";
      entry: EventLogEntry;
      /** If the event is the end of a connection or session: what the log of these has about it, which is no other line. */
      end?: ConnectionLogEntry | SessionLogEntry;
    };

/** A search that gives lines of a trace. */
type Source<K extends LogKind = LogKind> = {
  [P in K]: { kind: P; where: LogWhere<P> } & Partial<RangeKeys>;
}[K];

/** A line with the sorting text of its time. */
type TimedLine = TraceLine & { at: string };

/** Which lines are wanted, and at least how many. */
interface Wanted extends RangeKeys {
  order: "newest" | "oldest";
  count: number;
}

/**
 * Reads all sources until as many lines as wanted are certain, or there are no more. Of each time, all lines are there, or
 * none. `floor` is the time back to which all logs can be searched; empty if that is the whole range.
 */
async function gather(reader: LogReader, sources: readonly Source[], wanted: Wanted) {
  const isNewest = wanted.order === "newest";
  const searches = sources.map((source) => startSearch(reader, source, wanted));
  for (let pending = searches; ; ) {
    await Promise.all(pending.map((search) => search.read()));
    const open = searches.filter(({ isDone }) => !isDone);
    const [horizon] = open.map(({ reached }) => reached).sort((a, b) => (a < b === isNewest ? 1 : -1));
    const floor =
      searches
        .map((search) => search.floor)
        .sort()
        .at(-1) ?? "";
    // Beyond the horizon, a search that is not done may still find lines.
    const isCertain = ({ at }: TimedLine): boolean =>
      at > floor && (horizon === undefined || (isNewest ? at > horizon : at < horizon));
    const found: TimedLine[] = searches.flatMap(({ lines }) => (isNewest ? [...lines].reverse() : lines));
    const lines = mergeEnds(found.filter(isCertain).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)));
    if (horizon === undefined || lines.length >= wanted.count) return { lines, floor };
    pending = open.filter(({ reached }) => reached === horizon);
  }
}

type LineOf<K extends LogKind> = { [P in K]: { kind: P; entry: LogEntryOf<P>; at: string } }[K];

/** A source that is read page by page, up to `reached`. */
function startSearch<K extends LogKind>(reader: LogReader, source: Source<K>, wanted: Wanted) {
  const { kind, where }: { kind: K; where: LogWhere<K> } = source;
  const { order, count } = wanted;
  const since = [source.since ?? "", wanted.since ?? ""].sort().at(-1) || undefined;
  const until = [source.until, wanted.until].flatMap((time) => time ?? []).sort()[0];
  const lines: LineOf<K>[] = [];
  const pages = reader.pages(kind, { where, since, until, order, limit: Math.min(count, MOST_LISTED) });
  const search = {
    lines,
    reached: order === "newest" ? "~" : "",
    isDone: since !== undefined && until !== undefined && since >= until,
    floor: "",
    async read(): Promise<void> {
      const { value: page } = search.isDone ? { value: undefined } : await pages.next();
      search.isDone = !page?.nextCursor;
      if (!page) return;
      for (const entry of page.data) lines.push({ kind, entry, at: timeKey(entry.timestamp) ?? "" });
      search.reached = timeKey(page.searchedTo) ?? search.reached;
      if (search.isDone && !page.complete) search.floor = search.reached;
    },
  };
  return search;
}

/** Puts what the log of connections or sessions has about an end to the event of that end. */
function mergeEnds(lines: readonly TimedLine[]): TimedLine[] {
  const ends = new Map<string, ConnectionLogEntry | SessionLogEntry>();
  for (const { kind, entry, at } of lines) {
    if (kind === "connections") ends.set(`connection.destroyed ${entry.connection_id} ${at}`, entry);
    if (kind === "sessions") ends.set(`session.destroyed ${entry.session_id} ${at}`, entry);
  }
  const merged = new Set<unknown>();
  const withEnds = lines.map((line) => {
    if (line.kind !== "events") return line;
    const { type, connection_id, session_id } = line.entry;
    const end = ends.get(`${type} ${type === "session.destroyed" ? session_id : connection_id} ${line.at}`);
    merged.add(end);
    return end ? { ...line, end } : line;
  });
  return withEnds.filter(({ entry }) => !merged.has(entry));
}

// The most values of a condition, by contract.
const MAX_VALUES = 100;
const MAX_EVENTS = 1000;
// Events have the media server's time, and webhooks the service's.
const CLOCKS_APART_MS = 60_000;

/** The searches for all that the logs have about a subject. At the same time, lines of the first ones come first. */
async function sourcesOf(reader: LogReader, subject: TraceSubject, id: string, wanted: Wanted): Promise<Source[]> {
  const where = { [traceField(subject, id)]: { eq: id } };
  const events: Source = { kind: "events", where };
  const connections: Source = { kind: "connections", where };
  const sessions: Source = { kind: "sessions", where };
  const webhooks: Source = { kind: "webhooks", where };
  if (subject === "channel") return [events, connections, sessions, { kind: "media-api", where }, webhooks];
  if (subject !== "connection" && subject !== "session") {
    return [events, connections, ...(await webhooksOf(reader, where, wanted))];
  }

  const { channelId, sessionId, since, until, endEventId } = await lifeOf(reader, subject, id);
  const life = { since, until: until && justAfter(until) };
  const inChannel = channelId && { channel_id: { eq: channelId } };
  const calls: Source | "" | undefined = inChannel && { kind: "media-api", where: inChannel, ...life };
  const sources: (Source | "" | undefined)[] =
    subject === "connection"
      ? [
          events,
          // The rest of the log is not looked through.
          { ...connections, since: until ?? since },
          sessionId && { kind: "sessions", where: { session_id: { eq: sessionId } }, since },
          calls,
          { ...webhooks, since: since && shortlyBefore(since) },
        ]
      : [
          events,
          // Clients that were refused or whose connections were not made name the channel, but no session.
          inChannel && { kind: "events", where: { ...inChannel, failed: true, session_id: isAbsent }, ...life },
          connections,
          sessions,
          calls,
          inChannel && { kind: "webhooks", where: inChannel, ...life },
          endEventId && { kind: "webhooks", where: { event_id: { eq: endEventId } }, since: life.until },
        ];
  return sources.flatMap((source) => source || []);
}

/** A time that is before another one by every clock. */
const shortlyBefore = (key: string): string | undefined =>
  timeKey(new Date((millisecondsAt(key) ?? 0) - CLOCKS_APART_MS));

/** The searches for the webhooks of the connections that a client or bundle had. */
async function webhooksOf(
  reader: LogReader,
  where: Record<string, { eq: string }>,
  { order, since, until }: Wanted,
): Promise<Source[]> {
  // A webhook follows its event, perhaps after the page has begun.
  const ranges = order === "newest" ? [{ until }] : [{ until: since }, { since, until, order }];
  const connected = { ...where, outcome: { not: { eq: "refused" } } };
  const found = await Promise.all(
    ranges.map((range) => reader.first("events", { where: connected, limit: MAX_EVENTS, ...range })),
  );
  const ids = [...new Set(found.flatMap(({ entries }) => entries.flatMap((entry) => entry.connection_id ?? [])))];
  return Array.from({ length: Math.ceil(ids.length / MAX_VALUES) }, (_, chunk) => ({
    kind: "webhooks" as const,
    where: { connection_id: { eq: ids.slice(chunk * MAX_VALUES, (chunk + 1) * MAX_VALUES) } },
  }));
}
