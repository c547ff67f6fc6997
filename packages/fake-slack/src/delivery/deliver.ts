import { once } from "node:events";
import { fieldOf } from "../json.js";
import type { Json } from "../world/model.js";
import { perWorld, type World } from "../world/world.js";
import {
  type Attempt,
  type AttemptResult,
  type OutgoingDelivery,
  type RetryReason,
  sendOverHttp,
  sendOverSocket,
} from "./send.js";

/** The final result of a delivery. */
export interface Delivery {
  /** The app's HTTP status; 0 without a response. An acknowledgement over a socket counts as 200. */
  readonly status: number;
  /** Undefined if the acknowledgement was empty. */
  readonly body: unknown;
  /** The number of attempts. */
  readonly tries: number;
  /** The duration of the last attempt. */
  readonly acknowledgedInMs: number;
  /** The error that Slack shows if the app did not acknowledge. */
  readonly shownError: string | undefined;
}

const MINUTE = 60_000;
const EVENT_RETRIES = [0, MINUTE, 5 * MINUTE];

/**
 * Sends a request to the app: to its request URL, or over a socket if it has none. Slack retries events that are not
 * acknowledged; for commands and interactions it shows the person an error instead.
 */
export async function deliver(world: World, delivery: OutgoingDelivery): Promise<Delivery> {
  const content = delivery.kind === "event" ? envelopeOf(world, delivery) : delivery.payload;
  let tries = 0;
  const send = (reason?: RetryReason) => {
    const retry = reason && { number: tries, reason };
    tries += 1;
    return attempt(world, delivery, { kind: delivery.kind, content, retry });
  };
  const isRepeated = repetitions(world).shift() !== undefined;
  let result = await send();
  for (const pause of delivery.kind === "event" ? EVENT_RETRIES : []) {
    if (result.failure === undefined) break;
    if (pause > 0) await Promise.race([world.patience.wait(pause), once(world.stopped, "abort")]);
    if (world.stopped.aborted) break;
    result = await send(result.failure);
  }
  if (isRepeated) await send("http_timeout");
  const { status, body, acknowledgedInMs, failure } = result;
  return { status, body, tries, acknowledgedInMs, shownError: failure && shownError(delivery, failure) };
}

/** Sends the next delivery twice even if it was answered, the second time as a retry. The first response counts. */
export function repeatNext(world: World): void {
  repetitions(world).push(true);
}

const repetitions = perWorld((): true[] => []);

async function attempt(
  world: World,
  delivery: OutgoingDelivery,
  sent: Attempt,
): Promise<AttemptResult & { acknowledgedInMs: number }> {
  const { requestUrl } = world.app;
  const { kind, teamId, payload } = delivery;
  const startedAt = performance.now();
  const result = await (requestUrl === undefined ? sendOverSocket(world, sent) : sendOverHttp(world, requestUrl, sent));
  const acknowledgedInMs = performance.now() - startedAt;
  const person = payload.user_id ?? fieldOf(payload.user, "id") ?? payload.user;
  const { status, body, failure } = result;
  world.record({
    teamId,
    what: "delivery",
    name: kind,
    users: typeof person === "string" ? [person] : [],
    detail: {
      payload: sent.content,
      ...(sent.retry && { retry: sent.retry }),
      status,
      body,
      acknowledgedInMs,
      ...(failure && { failure, shownError: shownError(delivery, failure) }),
    },
  });
  return { ...result, acknowledgedInMs };
}

function envelopeOf(world: World, { teamId, payload }: OutgoingDelivery): Json {
  const team = world.teams.get(teamId);
  const bot = [...(team?.users.values() ?? [])].find(({ isBot }) => isBot);
  return {
    type: "event_callback",
    team_id: teamId,
    api_app_id: world.app.id,
    event: payload,
    event_id: world.newId("Ev"),
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      {
        enterprise_id: team?.organization?.id ?? null,
        team_id: teamId,
        user_id: bot?.id ?? null,
        is_bot: true,
        is_enterprise_install: team?.organization?.isOrgWide === true,
      },
    ],
    is_ext_shared_channel: false,
  };
}

/** The error that Slack shows if the app did not acknowledge a command or a click. */
function shownError({ kind, payload }: OutgoingDelivery, failure: RetryReason): string | undefined {
  if (kind === "event") return undefined;
  if (kind === "slash_command") {
    const error = failure === "http_timeout" ? "operation_timeout" : "dispatch_failed";
    return `${String(payload.command)} failed with the error "${error}"`;
  }
  // The modal is already closed.
  if (payload.type === "view_closed") return undefined;
  // Slack shows a sign beside the button, without words.
  if (payload.type === "block_actions") return "⚠️";
  return "We had some trouble connecting. Try again?";
}
