import { fieldOf } from "../block-kit/json.js";
import type { Json, World } from "../world/model.js";

/** What Slack sends to the app. The same object sent again is the same delivery: an event keeps its id. */
export interface OutgoingDelivery {
  readonly kind: "slash_command" | "interactive" | "event";
  readonly teamId: string;
  /** A command's fields, an interaction's payload, or the event without its envelope. */
  readonly payload: Json;
}

/** Why Slack sends something again, in its own words. */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** The how-manieth repetition it is, and why. */
export interface Retry {
  readonly number: number;
  readonly reason: RetryReason;
}

/** What came of sending it once. */
export interface Attempt {
  /** 0 where there was no answer; 200 where it was acknowledged over a socket. */
  readonly status: number;
  readonly body: unknown;
  readonly ms: number;
  /** Undefined where it was acknowledged. */
  readonly failure: RetryReason | undefined;
  /** The app does not want it again: `x-slack-no-retry`. */
  readonly isFinal: boolean;
}

const envelopes = new WeakMap<OutgoingDelivery, Json>();

/** What is sent of it: the payload, and an event in its envelope. */
export function contentOf(world: World, delivery: OutgoingDelivery): Json {
  if (delivery.kind !== "event") return delivery.payload;
  const known = envelopes.get(delivery);
  if (known !== undefined) return known;
  const envelope = envelopeOf(world, delivery);
  envelopes.set(delivery, envelope);
  return envelope;
}

/** Who did what is sent; nobody where it happened by itself. */
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
