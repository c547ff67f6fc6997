import type { World } from "../world/model.js";
import { perWorld } from "../world/world.js";
import {
  type Attempt,
  contentOf,
  type OutgoingDelivery,
  personOf,
  type Retry,
  type RetryReason,
  shownError,
} from "./outgoing.js";
import { sendOverHttp } from "./over-http.js";
import { sendOverSocket } from "./sockets.js";

/** The final result of a delivery. */
export interface Delivery {
  /** The app's HTTP status; 0 without an answer. An acknowledgement over a socket counts as 200. */
  readonly status: number;
  /** Undefined if the acknowledgement was empty. */
  readonly body: unknown;
  /** How often it was sent. */
  readonly tries: number;
  /** How long the last try took. */
  readonly acknowledgedInMs: number;
  /** The error that Slack shows if the app did not acknowledge. */
  readonly shownError: string | undefined;
}

const MINUTE = 60_000;
const EVENT_RETRIES = [0, MINUTE, 5 * MINUTE];

/**
 * Sends something to the app: to its request URL, or over a socket if it has none. Slack retries events that are not
 * acknowledged; for commands and interactions it shows the person an error instead.
 */
export async function deliver(world: World, delivery: OutgoingDelivery): Promise<Delivery> {
  const repetition = repetitions(world).shift();
  let attempt = await send(world, delivery, undefined);
  let tries = 1;
  for (const pause of delivery.kind === "event" ? EVENT_RETRIES : []) {
    if (attempt.failure === undefined || attempt.isFinal) break;
    if (pause > 0) await Promise.race([world.patience.wait(pause), aborted(world.stopped)]);
    if (world.stopped.aborted) break;
    attempt = await send(world, delivery, { number: tries, reason: attempt.failure });
    tries += 1;
  }
  if (repetition !== undefined) {
    await send(world, delivery, { number: tries, reason: repetition });
    tries += 1;
  }
  const { status, body, ms, failure } = attempt;
  return { status, body, tries, acknowledgedInMs: ms, shownError: failure && shownError(delivery, failure) };
}

/**
 * Sends each of the next deliveries twice, although they were answered, the second time as a retry. The first answer
 * counts.
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
  world.record({
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
