import type { Span } from "./past.js";
import type { Random } from "./random.js";
import { stampOf } from "./stamp.js";
import { channels, drawVisitor } from "./visitors.js";

/** What the log says of something that has ended. */
interface Entry {
  readonly timestamp: string;
  readonly channel_id: string;
  readonly session_id: string;
  readonly [field: string]: string | number;
}

/** A connection that has ended. */
interface PastConnection extends Span {
  readonly entry: Entry;
}

/** A session that has ended. */
export interface PastSession extends Span {
  readonly entry: Entry;
  readonly connections: readonly PastConnection[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Sessions in an hour, by the hour of the day: never so few that an hour looks empty, most in the afternoon. */
function sessionsPerHour(at: number): number {
  const hour = (at / HOUR) % 24;
  return 4.5 - 1.1 * Math.cos(((hour - 2) / 24) * 2 * Math.PI);
}

/** All sessions of a span, by their beginning. Those of one channel come one after another. */
export function sessionsIn({ from, until }: Span, projectId: string, random: Random): PastSession[] {
  const sessions: PastSession[] = [];
  const busyUntil = new Map<string, number>();
  for (let at = from; ; ) {
    at += random.wait(HOUR / sessionsPerHour(at));
    if (at >= until) return sessions;
    const start = Math.floor(at);
    const wanted = drawVisitor(random).channel;
    const isFree = (channel: string): boolean => (busyUntil.get(channel) ?? 0) < start;
    const channel = [wanted, ...channels].find(isFree);
    const session = channel && sessionAt(start, `${channel}@${projectId}`, random);
    // One that would still go on has left nothing behind yet.
    if (!session || session.until >= until) continue;
    sessions.push(session);
    busyUntil.set(channel, session.until + MINUTE);
  }
}

function sessionAt(from: number, channelId: string, random: Random): PastSession {
  const length = random.int(3, 40) * MINUTE + random.int(0, 59_999);
  const until = from + length;
  const session_id = idOf(random);
  const count = random.pick([1, 2, 2, 3, 3, 4, 6]);
  // The first one opens the session, and the last one closes it.
  const spans = Array.from({ length: count }, (_, nth): Span => {
    const begins = nth === 0 ? 0 : random.next() * 0.8;
    const ends = nth === count - 1 ? 1 : begins + (1 - begins) * (0.2 + 0.79 * random.next());
    return { from: from + Math.floor(begins * length), until: from + Math.floor(ends * length) };
  });
  if (count > 1) closeGaps(spans);
  const connections = spans.map((span) => connectionOf(span, channelId, session_id, random));
  return {
    from,
    until,
    connections,
    entry: {
      timestamp: stampOf(until, random.int(500, 999)),
      channel_id: channelId,
      session_id,
      ...{ total_connections: count, max_connections: mostAtOnce(spans) },
      ...timesOf({ from, until }, 0, 499),
    },
  };
}

/** Lets somebody always be there: a session ends when nobody is. */
function closeGaps(spans: Span[]): void {
  spans.sort((one, other) => one.from - other.from);
  for (let nth = 1; nth < spans.length; nth++) {
    const span = spans[nth];
    const reached = Math.max(...spans.slice(0, nth).map(({ until }) => until));
    if (span && span.from >= reached) spans[nth] = { ...span, from: reached - 1 };
  }
}

function mostAtOnce(spans: readonly Span[]): number {
  return Math.max(...spans.map(({ from }) => spans.filter((span) => span.from <= from && from < span.until).length));
}

function connectionOf(span: Span, channelId: string, sessionId: string, random: Random): PastConnection {
  const { role, clientId } = drawVisitor(random, channelId);
  const connection_id = idOf(random);
  const minutes = (span.until - span.from) / MINUTE;
  // Who only listens still sends a little, such as reports on what arrived.
  const volume = (flows: boolean): number =>
    Math.round(minutes * (flows ? random.int(2_000_000, 20_000_000) : random.int(5_000, 60_000)));
  return {
    ...span,
    entry: {
      timestamp: stampOf(span.until, random.int(500, 999)),
      channel_id: channelId,
      session_id: sessionId,
      client_id: clientId,
      bundle_id: connection_id,
      connection_id,
      total_received_bytes: volume(role !== "recvonly"),
      total_sent_bytes: volume(role !== "sendonly"),
      ...timesOf(span, random.int(1, 400), random.int(1, 400)),
    },
  };
}

const timesOf = ({ from, until }: Span, createdMicros: number, destroyedMicros: number) => ({
  created_timestamp: stampOf(from, createdMicros),
  destroyed_timestamp: stampOf(until, destroyedMicros),
  duration_min: Math.floor((until - from) / MINUTE),
});

// No I, L, O and U: they are too easily misread.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** An id of the shape that the media server's have. */
function idOf(random: Random): string {
  return Array.from({ length: 26 }, () => alphabet[random.int(0, 31)]).join("");
}
