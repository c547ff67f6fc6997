import type {
  AuthRequest,
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  Event,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
} from "../generated/intake.js";

/** The event that `media-ops webhooks test` sends. Answer it with 2xx. */
export interface WebhookTest {
  type: "webhook.test";
  id: string;
  timestamp: string;
  project_id: string;
}

/** The question to an auth address: may this client connect? It has no `type`. */
export interface WebhookAuthRequest extends AuthRequest {
  type?: undefined;
}

/** An event that this version does not know. Answer it with 2xx: new ones will be added. */
export interface UnknownWebhookEvent extends Omit<Event, "type"> {
  /** Any other `<object>.<action>`. Its type is branded, so that `event.type === "session.created"` excludes it. */
  type: `${string}.${string}` & { readonly unknownType: true };
}

/** An event that the service sends to a project's addresses, for `switch` on `type`. */
export type WebhookEvent =
  | SessionCreated
  | SessionDestroyed
  | SessionVanished
  | ConnectionCreated
  | ConnectionUpdated
  | ConnectionDestroyed
  | ConnectionFailed
  | WebhookTest
  | WebhookAuthRequest
  | UnknownWebhookEvent;
