import { listings } from "./calls.js";
import type { Span } from "./past.js";
import type { PastSession } from "./past-sessions.js";
import type { Random } from "./random.js";

interface ApiCall {
  readonly at: number;
  readonly url: string;
  readonly status: number;
  readonly elapsed_time_ms: number;
}

interface MediaApiCall {
  readonly at: number;
  readonly media_target: string;
  readonly channel_id: string;
  readonly status: number;
  readonly elapsed_time_ms: number;
}

interface Options {
  readonly serviceUrl: string;
  readonly projectId: string;
}

const HOUR = 3_600_000;

/** The calls that apps have made: a token before each connection, a listing now and then, and what goes wrong. */
export function callsIn(
  { from, until }: Span,
  sessions: readonly PastSession[],
  { serviceUrl, projectId }: Options,
  random: Random,
): { api: ApiCall[]; mediaApi: MediaApiCall[] } {
  const token = `${serviceUrl}/projects/create-access-token`;
  const quick = (): number => 1 + Math.round(random.wait(2));
  const api = sessions.flatMap(({ connections }) =>
    connections.flatMap((connection): ApiCall[] => {
      const at = connection.from - random.int(300, 2_500);
      const made = { at, url: token, status: 200, elapsed_time_ms: quick() };
      if (!random.chance(0.03)) return [made];
      // An app that had to be told twice what a token is made of.
      const refused = { at: at - random.int(50, 900), url: token, status: random.pick([400, 400, 403]) };
      return [{ ...refused, elapsed_time_ms: 1 }, made];
    }),
  );
  for (let at = from; ; ) {
    at += random.wait(HOUR / 2);
    if (at >= until) break;
    const url = serviceUrl + random.pick(listings);
    const status = random.chance(0.02) ? 401 : 200;
    api.push({ at: Math.floor(at), url, status, elapsed_time_ms: quick() + random.int(0, 4) });
  }
  return { api, mediaApi: sessions.flatMap((session) => mediaCallsIn(session, projectId, random)) };
}

function mediaCallsIn({ from, until, entry }: PastSession, projectId: string, random: Random): MediaApiCall[] {
  const call = (at: number, operation: string, status: number): MediaApiCall => ({
    at: Math.floor(at),
    media_target: `Media_20151104.${operation}`,
    channel_id: entry.channel_id,
    status,
    elapsed_time_ms: status === 504 ? 10_000 : 3 + Math.round(random.wait(9)),
  });
  const calls: MediaApiCall[] = [];
  if (random.chance(0.35)) {
    calls.push(call(from + (until - from) * random.next(), "ListChannelConnections", random.chance(0.04) ? 504 : 200));
  }
  if (random.chance(0.15)) {
    // Somebody who has just gone cannot be sent away.
    const status = random.chance(0.25) ? 404 : 200;
    calls.push(call(from + (until - from) * random.next(), "DisconnectConnection", status));
  }
  if (random.chance(0.1)) calls.push(call(until - random.int(5, 40), "DisconnectChannel", 200));
  if (random.chance(0.03)) {
    calls.push({ ...call(from + 5_000, "DisconnectChannel", 404), channel_id: `lobyy@${projectId}` });
  }
  return calls;
}
