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

/** What `media-ops webhooks test` sends. Answer it with 2xx. */
export interface WebhookTest {
  type: "webhook.test";
  id: string;
  timestamp: string;
  project_id: string;
}

/** What an auth address is asked: may this client connect? It has no `type`. */
export interface WebhookAuthRequest extends AuthRequest {
  type?: undefined;
}

/** An event of a kind that this version does not know. More kinds will come, so answer it with 2xx. */
export interface UnknownWebhookEvent extends Omit<Event, "type"> {
  /** Any other `<object>.<action>`. Its type is marked, so that `event.type === "session.created"` rules it out. */
  type: `${string}.${string}` & { readonly unknownType: true };
}

/** What the service sends to a project's own addresses. `type` says which one it is; made for `switch`. */
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
