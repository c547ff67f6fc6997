export type {
  AuthRequest,
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
} from "../generated/intake.js";
export { type WebhookVerificationCode, WebhookVerificationError } from "./errors.js";
export type { UnknownWebhookEvent, WebhookAuthRequest, WebhookEvent, WebhookTest } from "./events.js";
export { type VerifyWebhookInput, verifyWebhook, type WebhookHeaders } from "./verify-webhook.js";
