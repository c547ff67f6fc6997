import type { Random } from "@media-ops/fake-media";

/** A time span in Unix milliseconds, excluding its end. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;

/** Returns the span of a connection that begins and ends within a session. */
export function within({ from, until }: Span, random: Random): Span {
  const begin = from + Math.floor(random.next() * 0.6 * (until - from));
  return { from: begin, until: begin + Math.floor((0.2 + 0.8 * random.next()) * (until - begin)) };
}

/** The members of a log entry with the times of a session or connection. */
export const timesOf = ({ from, until }: Span) => ({
  created_timestamp: stampOf(from),
  destroyed_timestamp: stampOf(until),
  duration_min: Math.floor((until - from) / MINUTE),
});

/** Returns a timestamp with microseconds, in the media server's format. */
export const stampOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");
