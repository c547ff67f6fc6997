import { sendOverSocket } from "../socket-mode/sockets.js";
import type { World } from "../world/model.js";
import { type Attempt, contentOf, type OutgoingDelivery, personOf, type Retry, type RetryReason } from "./outgoing.js";
import { sendOverHttp } from "./over-http.js";
import { perWorld } from "./per-world.js";
import { shownError } from "./shown-error.js";
import { stopOf } from "./stop.js";

/** What came of a delivery in the end. */
export interface Answered {
  /** The HTTP status that the app gave; 0 where it gave none. Over a socket an acknowledgement counts as 200. */
  readonly status: number;
  /** Undefined where the acknowledgement was empty. */
  readonly body: unknown;
  /** How often it was sent. */
  readonly tries: number;
  /** How long the last try took. */
  readonly acknowledgedInMs: number;
  /** What Slack shows the person where the app did not acknowledge. */
  readonly shownError: string | undefined;
}

const MINUTE = 60_000;
// At once, after a minute, and after five more.
const EVENT_RETRIES = [0, MINUTE, 5 * MINUTE];

/**
 * Sends something to the app: to its request URL, or over a socket where it has none. Events that are not acknowledged
 * are sent again; commands and interactions are not, as their person has been told of the failure.
 */
export async function deliver(world: World, delivery: OutgoingDelivery): Promise<Answered> {
  const repetition = repetitions(world).shift();
  const { stopped, signal } = stopOf(world);
  let attempt = await send(world, delivery, undefined);
  let tries = 1;
  for (const pause of delivery.kind === "event" ? EVENT_RETRIES : []) {
    if (attempt.failure === undefined || attempt.isFinal) break;
    if (pause > 0) await Promise.race([world.patience.wait(pause), stopped]);
    if (signal.aborted) break;
    attempt = await send(world, delivery, { number: tries, reason: attempt.failure });
    tries += 1;
  }
  if (repetition !== undefined) {
    await send(world, delivery, { number: tries, reason: repetition });
    tries += 1;
  }
  return answered(delivery, attempt, tries);
}

/** Sends once more what was sent before, as Slack does where it has not heard the answer. */
export async function deliverAgain(
  world: World,
  delivery: OutgoingDelivery,
  reason: RetryReason = "http_timeout",
): Promise<Answered> {
  return answered(delivery, await send(world, delivery, { number: 1, reason }), 1);
}

/**
 * The next deliveries come twice each although they were answered, the second time as a retry. The first answer is the
 * one that counts.
 */
export function repeatNext(
  world: World,
  { times = 1, reason = "http_timeout" }: { times?: number; reason?: RetryReason } = {},
): void {
  repetitions(world).push(...Array.from({ length: times }, () => reason));
}

const repetitions = perWorld((): RetryReason[] => []);

async function send(world: World, delivery: OutgoingDelivery, retry: Retry | undefined): Promise<Attempt> {
  const { requestUrl } = world.app;
  const attempt =
    requestUrl === undefined
      ? await sendOverSocket(world, delivery, retry)
      : await sendOverHttp(world, requestUrl, delivery, retry);
  const person = personOf(delivery);
  const { status, body, ms, failure } = attempt;
  world.tell({
    teamId: delivery.teamId,
    what: "delivery",
    name: delivery.kind,
    users: person === undefined ? [] : [person],
    detail: {
      payload: contentOf(world, delivery),
      ...(retry && { retry }),
      status,
      body,
      acknowledgedInMs: ms,
      ...(failure && { failure, shownError: shownError(delivery, failure) }),
    },
  });
  return attempt;
}

function answered(delivery: OutgoingDelivery, { status, body, ms, failure }: Attempt, tries: number): Answered {
  return {
    status,
    body,
    tries,
    acknowledgedInMs: ms,
    shownError: failure && shownError(delivery, failure),
  };
}
