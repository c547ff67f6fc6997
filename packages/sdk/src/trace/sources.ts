import type { LogReader } from "../log-reader.js";
import { justAfter } from "../time.js";
import type { Source, Wanted } from "./lines.js";
import { fieldOf, lifeOf } from "./subject.js";
import type { TraceSubject } from "./trace.js";

// The most values of a condition, by contract.
const MAX_VALUES = 100;
const MAX_EVENTS = 1000;

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
  const channel = { channel_id: { eq: channelId ?? "" } };
  const life = { since, until: until && justAfter(until) };
  const calls: Source[] = channelId ? [{ kind: "media-api", where: channel, ...life }] : [];
  if (subject === "connection") {
    const session = { session_id: { eq: sessionId ?? "" } };
    return [
      events,
      connections,
      ...(sessionId ? [{ kind: "sessions", where: session } as const] : []),
      ...calls,
      webhooks,
    ];
  }
  // Clients that were refused or whose connections were not made name the channel, but no session.
  const failed = { ...channel, failed: true, session_id: { not: { like: "*" } } };
  const inChannel: Source[] = channelId ? [{ kind: "events", where: failed, ...life }] : [];
  const delivered: Source[] = channelId ? [{ kind: "webhooks", where: channel, ...life }] : [];
  const end: Source[] = endEventId
    ? [{ kind: "webhooks", where: { event_id: { eq: endEventId } }, since: life.until }]
    : [];
  return [events, ...inChannel, connections, sessions, ...calls, ...delivered, ...end];
}

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
