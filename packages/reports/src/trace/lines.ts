import type { ConnectionLogEntry, EventLogEntry, LogEntryOf, LogKind, SessionLogEntry } from "@media-ops/contract";
import { type LogWhere, timeKey } from "@media-ops/sdk";
import { isAbsent, type LogReader } from "../log-reader.js";
import { justAfter, millisecondsAt, type RangeKeys } from "../range.js";
import { MOST_LISTED } from "../service.js";
import { fieldOf, lifeOf, type TraceSubject } from "./subject.js";

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
export type Source<K extends LogKind = LogKind> = {
  [P in K]: { kind: P; where: LogWhere<P> } & Partial<RangeKeys>;
}[K];

/** A line with the sorting text of its time. */
export type TimedLine = TraceLine & { at: string };

/** Which lines are wanted, and at least how many. */
export interface Wanted extends RangeKeys {
  order: "newest" | "oldest";
  count: number;
}

/** The lines of all sources, from one end of the range on. */
export interface Gathered {
  /** Oldest first. Of each time, all lines are there, or none. */
  lines: TimedLine[];
  /** The time back to which all logs can be searched; empty if that is the whole range. */
  floor: string;
}

/** Reads all sources until as many lines as wanted are certain, or there are no more. */
export async function gather(reader: LogReader, sources: readonly Source[], wanted: Wanted): Promise<Gathered> {
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

/** A source that is read page by page. */
interface RunningSearch<K extends LogKind> {
  /** In the order in which they were read. */
  lines: LineOf<K>[];
  /** All lines on this side of it were read. */
  reached: string;
  isDone: boolean;
  floor: string;
  /** Reads the next page. */
  read(): Promise<void>;
}

type LineOf<K extends LogKind> = { [P in K]: { kind: P; entry: LogEntryOf<P>; at: string } }[K];

function startSearch<K extends LogKind>(reader: LogReader, source: Source<K>, wanted: Wanted): RunningSearch<K> {
  const { kind, where }: { kind: K; where: LogWhere<K> } = source;
  const { order, count } = wanted;
  const since = [source.since ?? "", wanted.since ?? ""].sort().at(-1) || undefined;
  const until = [source.until, wanted.until].flatMap((time) => time ?? []).sort()[0];
  const lines: LineOf<K>[] = [];
  const pages = reader.pages(kind, { where, since, until, order, limit: Math.min(count, MOST_LISTED) });
  const search: RunningSearch<K> = {
    lines,
    reached: order === "newest" ? "~" : "",
    isDone: since !== undefined && until !== undefined && since >= until,
    floor: "",
    async read() {
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
export async function sourcesOf(
  reader: LogReader,
  subject: TraceSubject,
  id: string,
  wanted: Wanted,
): Promise<Source[]> {
  const where = { [fieldOf(subject, id)]: { eq: id } };
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
