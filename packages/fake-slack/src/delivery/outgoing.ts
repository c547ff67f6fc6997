import { fieldOf } from "../json.js";
import type { Json, World } from "../world/model.js";

/** A request from Slack to the app. The same object sent again is the same delivery: an event keeps its id. */
export interface OutgoingDelivery {
  readonly kind: "slash_command" | "interactive" | "event";
  readonly teamId: string;
  /** A command's fields, an interaction's payload, or the event without its envelope. */
  readonly payload: Json;
}

/** Slack's words for why it sends something again. */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** The number of a retry, and its reason. */
export interface Retry {
  readonly number: number;
  readonly reason: RetryReason;
}

/** The result of sending it once. */
export interface Attempt {
  /** 0 without an answer; 200 if it was acknowledged over a socket. */
  readonly status: number;
  readonly body: unknown;
  readonly ms: number;
  /** Undefined if it was acknowledged. */
  readonly failure: RetryReason | undefined;
  /** The app has refused retries: `x-slack-no-retry`. */
  readonly isFinal: boolean;
}

const envelopes = new WeakMap<OutgoingDelivery, Json>();

/** The content that is sent: the payload, for an event in its envelope. */
export function contentOf(world: World, delivery: OutgoingDelivery): Json {
  if (delivery.kind !== "event") return delivery.payload;
  const known = envelopes.get(delivery);
  if (known !== undefined) return known;
  const envelope = envelopeOf(world, delivery);
  envelopes.set(delivery, envelope);
  return envelope;
}

/** The id of the person who caused it, if there is one. */
export function personOf({ payload }: OutgoingDelivery): string | undefined {
  const id = payload.user_id ?? fieldOf(payload.user, "id") ?? payload.user;
  return typeof id === "string" ? id : undefined;
}

function envelopeOf(world: World, { teamId, payload }: OutgoingDelivery): Json {
  const team = world.teams.get(teamId);
  const users = team?.users.values() ?? [];
  const organization = team?.organization;
  const bot = [...users].find(({ isBot }) => isBot);
  return {
    type: "event_callback",
    team_id: teamId,
    api_app_id: world.app.id,
    event: payload,
    event_id: world.newId("Ev"),
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      {
        enterprise_id: organization?.id ?? null,
        team_id: teamId,
        user_id: bot?.id ?? null,
        is_bot: true,
        is_enterprise_install: organization?.isOrgWide === true,
      },
    ],
    is_ext_shared_channel: false,
  };
}

/** The error that Slack shows if the app did not acknowledge a command or a click. */
export function shownError({ kind, payload }: OutgoingDelivery, failure: RetryReason): string | undefined {
  if (kind === "event") return undefined;
  if (kind === "slash_command") {
    const error = failure === "http_timeout" ? "operation_timeout" : "dispatch_failed";
    return `${String(payload.command)} failed with the error "${error}"`;
  }
  // The modal is closed already.
  if (payload.type === "view_closed") return undefined;
  // Slack shows a sign beside the button, without words.
  if (payload.type === "block_actions") return "⚠️";
  return "We had some trouble connecting. Try again?";
}
