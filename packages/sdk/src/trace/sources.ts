import type { LogReader } from "../log-reader.js";
import { justAfter, parseTimestamp, timeKey } from "../time.js";
import { isAbsent } from "../where.js";
import type { Source, Wanted } from "./lines.js";
import { fieldOf, lifeOf } from "./subject.js";
import type { TraceSubject } from "./trace.js";

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
  timeKey(new Date((parseTimestamp(`${key}Z`)?.epochMilliseconds ?? 0) - CLOCKS_APART_MS));

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
