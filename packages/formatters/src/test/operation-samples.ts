import type {
  AuditEntry,
  CheckedToken,
  Delivery,
  IssuedToken,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import { now } from "./samples.js";

const at = (clock: string): string => `2026-11-21T${clock}Z`;

/** Tokens that are out, and two that have ended; newest first. */
export const issued: readonly IssuedToken[] = [
  {
    jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
    key_id: "k7Qm2xVb",
    issued_at: at("14:03:30"),
    channel_id: "lobby@demo",
    role: "recvonly",
    max_channel_connections: 5,
    expiration_time: at("14:13:30"),
    requested_by: "slack:T0PLAY/U0ANN",
    state: "active",
  },
  {
    jwt_id: "0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10",
    key_id: "k7Qm2xVb",
    issued_at: "2026-11-19T08:00:00Z",
    requested_by: "cli:ann@host",
    state: "active",
  },
  {
    jwt_id: "9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d",
    key_id: "k7Qm2xVb",
    issued_at: at("13:00:00"),
    channel_id: "会議室@demo",
    max_channel_connections: 0,
    not_before: at("15:05:30"),
    expiration_time: "2026-11-23T09:00:00Z",
    state: "not-yet-valid",
  },
  {
    jwt_id: "1c2d3e4f-5a6b-4c7d-8e9f-a0b1c2d3e4f5",
    key_id: "k7Qm2xVb",
    issued_at: at("12:30:00"),
    channel_id: "stage 2 & backstage@demo",
    role: "sendrecv",
    expiration_time: at("20:30:00"),
    requested_by: "slack:T0PLAY/U0ANN",
    state: "revoked",
    revoked_at: at("14:01:30"),
    revoked_by: "slack:T0PLAY/U0BEN",
  },
  {
    jwt_id: "7e6d5c4b-3a29-4817-9605-f4e3d2c1b0a9",
    key_id: "k7Qm2xVb",
    issued_at: at("11:00:00"),
    channel_id: "lobby@demo",
    role: "sendonly",
    expiration_time: at("12:00:00"),
    state: "expired",
  },
];

/** Webhook deliveries in each state, newest first. */
export const deliveries: readonly Delivery[] = [
  {
    delivery_id: "01KAKV0C5N8Q6S4T2V0W8X6Y4Z",
    event_id: "01KAKV0C3N8Q6S4T2V0W8X6Y4Z",
    type: "connection.created",
    state: "waiting",
    created_at: at("14:03:22.6"),
    attempts: [
      { timestamp: at("14:03:23"), status: 503 },
      { timestamp: at("14:03:53"), status: 503 },
      { timestamp: at("14:04:53"), status: 0 },
    ],
    next_attempt_at: at("14:06:53"),
    fault: "connection refused",
  },
  {
    delivery_id: "01KAKTZ8B5HW1NA0J9V6TQ2M4E",
    event_id: "01KAKTZ800HW1NA0J9V6TQ2M4E",
    type: "session.destroyed",
    state: "failed",
    created_at: "2026-11-20T09:00:00Z",
    attempts: [
      { timestamp: "2026-11-20T09:00:01Z", status: 404 },
      { timestamp: "2026-11-20T09:00:31Z", status: 500 },
      { timestamp: "2026-11-20T10:00:31Z", status: 500 },
      { timestamp: "2026-11-20T21:00:31Z", status: 503 },
    ],
    ended_at: "2026-11-20T21:00:31Z",
  },
  {
    delivery_id: "01KAKR7A9B3C5D7E9F1G3H5J7K",
    event_id: "01KAKR7A1B3C5D7E9F1G3H5J7K",
    type: "connection.created",
    state: "delivered",
    created_at: at("13:18:40.7"),
    attempts: [{ timestamp: at("13:18:41"), status: 204 }],
    ended_at: at("13:18:41"),
  },
];

/** A webhook endpoint in each state. */
export const endpoints: readonly WebhookEndpoint[] = [
  { kind: "auth", url: "https://hooks.example/auth", state: "ok" },
  {
    kind: "session",
    url: "https://hooks.example/teams/video/rooms/production/eu-central-1/sessions",
    state: "failing",
    failing_since: at("14:03:22"),
  },
  {
    kind: "event",
    url: "https://hooks.example/media",
    state: "off",
    off_since: at("13:20:00"),
    off_reason: "the receiver answered 410 Gone",
    waiting: 12,
  },
];

/** Who changed what, newest first. */
export const audit: readonly AuditEntry[] = [
  {
    timestamp: at("14:04:02.118"),
    action: "token.revoke",
    outcome: "done",
    subject: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
    detail: "1 token",
    requested_by: "slack:T0PLAY/U0ANN",
    key_id: "k7Qm2xVb",
    address: "192.0.2.7",
    request_id: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
  },
  {
    timestamp: at("14:02:40"),
    action: "media-api.DisconnectChannel",
    outcome: "failed",
    subject: "lobby@demo",
    detail: "the media server answered 503",
    requested_by: "cli:ann@host",
    key_id: "k7Qm2xVb",
  },
  {
    timestamp: at("13:50:00"),
    action: "token.revoke",
    outcome: "refused",
    subject: "lobby@other",
    detail: "The channel belongs to another project.",
    key_id: "k7Qm2xVb",
    address: "192.0.2.7",
  },
  { timestamp: at("13:40:00"), action: "endpoint.enable", outcome: "done", subject: "event", requested_by: "deploy" },
  { timestamp: "2026-11-20T09:10:00Z", action: "operator.keys create", outcome: "done", subject: "demo" },
  { timestamp: "2026-11-20T09:00:00Z", action: "token.polish", outcome: "done" },
];

/** Revoking a token, and the tokens of a channel with their connections. */
export const revokedToken: RevokedTokens = {
  jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  revoked_at: at("14:05:30"),
  effective_by: at("14:05:32"),
  tokens: 1,
};

/** The tokens of a channel, whose connections did not all end. */
export const revokedChannel: RevokedTokens = {
  channel_id: "lobby@demo",
  issued_before: at("14:05:30"),
  revoked_at: at("14:05:30"),
  effective_by: at("14:05:32"),
  tokens: 3,
  disconnected: 2,
  not_disconnected: 1,
  fault: "The media server answered 503",
};

export const resent: ResentDeliveries = { resent: 12 };

/** A token that is good, in a channel that is full. */
export const goodToken: CheckedToken = {
  active: true,
  token_type: "Bearer",
  jti: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  iat: now / 1000 - 120,
  exp: now / 1000 + 480,
  channel_id: "lobby@demo",
  role: "recvonly",
  max_channel_connections: 5,
  key_id: "k7Qm2xVb",
  admission: {
    allowed: false,
    channel_id: "lobby@demo",
    role: "recvonly",
    reason: "channel-full",
    message: "The token allows 5 connections in the channel, which has 5. Wait until one ends.",
    channel_connections: 5,
  },
};

/** A token that was revoked. */
export const badToken: CheckedToken = {
  active: false,
  reason: "revoked",
  message: "The token was revoked. Make a new one.",
  jti: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  iat: now / 1000 - 120,
  exp: now / 1000 + 480,
  channel_id: "lobby@demo",
  role: "recvonly",
  key_id: "k7Qm2xVb",
  revoked_at: at("14:04:02"),
};
