import type { Hooks, Span } from "./past.js";
import type { PastSession } from "./past-sessions.js";
import type { Random } from "./random.js";

/** One try to deliver a webhook. */
interface Try {
  readonly at: number;
  readonly type: string;
  readonly url: string;
  readonly status: number;
  readonly elapsed_time_ms: number;
}

interface Options {
  readonly hooks: Hooks;
  /** When the receiver of events was ill. */
  readonly incident: Span;
  /** What would be tried later has not been tried yet. */
  readonly until: number;
}

// What the service waits before it tries again; by then the incident is over.
const PAUSES = [0, 5_000, 300_000, 1_800_000, 7_200_000];
const TIMEOUT_MS = 10_000;

/** All that was delivered of some sessions, and what failed and was tried again. */
export function deliveriesOf(sessions: readonly PastSession[], options: Options, random: Random): Try[] {
  const { hooks } = options;
  return sessions.flatMap(({ from, until, connections }) => [
    // The media server waits for the answer to these: they are tried once.
    ...once("session.created", from, hooks.session, random),
    ...connections.flatMap((connection) => [
      ...again("connection.created", connection.from, options, random),
      ...again("connection.destroyed", connection.until, options, random),
    ]),
    ...once("session.destroyed", until, hooks.session, random),
  ]);
}

function once(type: string, at: number, url: string, random: Random): Try[] {
  return [{ at: at + random.int(2, 20), type, url, ...answerOf(random) }];
}

function again(type: string, happened: number, { hooks, incident, until }: Options, random: Random): Try[] {
  const tries: Try[] = [];
  let at = happened + random.int(2, 20);
  for (const pause of PAUSES) {
    at += Math.round(pause * (1 + 0.1 * random.next()));
    if (at >= until) break;
    const isIll = at >= incident.from && at < incident.until;
    const answer = isIll ? answerWhenIll(random) : answerOf(random);
    tries.push({ at, type, url: hooks.event, ...answer });
    if (answer.status === 200) break;
    at += answer.elapsed_time_ms;
  }
  return tries;
}

type Answer = Pick<Try, "status" | "elapsed_time_ms">;

function answerOf(random: Random): Answer {
  if (random.chance(0.012)) return { status: 500, elapsed_time_ms: random.int(40, 400) };
  return { status: 200, elapsed_time_ms: 8 + Math.round(random.wait(25)) };
}

function answerWhenIll(random: Random): Answer {
  if (random.chance(0.08)) return { status: 0, elapsed_time_ms: TIMEOUT_MS };
  if (random.chance(0.06)) return { status: 200, elapsed_time_ms: random.int(3_000, 8_000) };
  return { status: 503, elapsed_time_ms: random.int(1_800, 9_000) };
}
