export type {
  AuthRequest,
  ConnectionCreated,
  ConnectionDestroyed,
  ConnectionFailed,
  ConnectionUpdated,
  SessionCreated,
  SessionDestroyed,
  SessionVanished,
} from "@media-ops/contract";
export type { UnknownWebhookEvent, WebhookAuthRequest, WebhookEvent, WebhookTest } from "./verify-webhook.js";
export {
  type VerifyWebhookInput,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.js";
