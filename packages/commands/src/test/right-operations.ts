// Typed text and its meaning. The current time is Saturday, 21 November 2026, 12:00 UTC.
import type { OperationCommand } from "../operations.js";

const at = (time: string): number => Date.parse(time);

/** The id of a token. */
export const tokenId = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
/** The id of a delivery of the service. */
export const deliveryId = "0mnqk2x1c000a7f3kq2";
/** The id of an event of the media server. */
export const eventId = "2M4EXK7C4R8ZB5HW1NA0J9V6TQ";

const me = { is: "me" } as const;
const ann = { is: "slack", user: "U0ANN" } as const;

export const rightOperations: readonly (readonly [typed: string, means: OperationCommand])[] = [
  ["tokens", { name: "tokens" }],
  ["TOKENS", { name: "tokens" }],
  ["token list", { name: "tokens" }],
  ["tokens list", { name: "tokens" }],
  ["list tokens", { name: "tokens" }],
  ["show tokens", { name: "tokens" }],
  ["which tokens are out", { name: "tokens" }],
  ["/media which tokens are out?", { name: "tokens" }],
  ["token list lobby", { name: "tokens", channel: "lobby" }],
  ["tokens lobby", { name: "tokens", channel: "lobby" }],
  ["tokens channel:lobby role:recvonly", { name: "tokens", channel: "lobby", role: "recvonly" }],
  ["tokens sendonly lobby", { name: "tokens", channel: "lobby", role: "sendonly" }],
  ["tokens lobby all", { name: "tokens", channel: "lobby", all: true }],
  ["tokens --all", { name: "tokens", all: true }],
  ['tokens "all"', { name: "tokens", channel: "all" }],
  ["tokens channel:all", { name: "tokens", channel: "all" }],
  ["tokens by:me", { name: "tokens", by: me }],
  ["tokens by me lobby", { name: "tokens", channel: "lobby", by: me }],
  ["tokens by:<@U0ANN|ann>", { name: "tokens", by: ann }],
  ["tokens by <@U0ANN>", { name: "tokens", by: ann }],
  ["tokens by:slack:T0PLAY/U0ANN", { name: "tokens", by: { is: "named", name: "slack:T0PLAY/U0ANN" } }],
  [`tokens id:${tokenId}`, { name: "tokens", id: tokenId }],
  [`tokens ${tokenId} in:demo`, { name: "tokens", id: tokenId, in: "demo" }],
  ["tokens limit:5", { name: "tokens", last: 5 }],
  [`revoke ${tokenId}`, { name: "revoke", id: tokenId }],
  [`tokens revoke ${tokenId}`, { name: "revoke", id: tokenId }],
  [`token revoke ${tokenId} disconnect`, { name: "revoke", id: tokenId, disconnect: true }],
  [`revoke token ${tokenId}`, { name: "revoke", id: tokenId }],
  ["revoke id:order-42", { name: "revoke", id: "order-42" }],
  ['revoke id:"order 42/é"', { name: "revoke", id: "order 42/é" }],
  ["tokens id:order-42", { name: "tokens", id: "order-42" }],
  [`revoke channel:${tokenId}`, { name: "revoke", channel: tokenId }],
  ["revoke lobby", { name: "revoke", channel: "lobby" }],
  ["revoke channel:disconnect", { name: "revoke", channel: "disconnect" }],
  [
    "revoke channel:lobby before:09:00 disconnect",
    { name: "revoke", channel: "lobby", disconnect: true, before: at("2026-11-21T09:00:00Z") },
  ],
  ["revoke lobby before 2h", { name: "revoke", channel: "lobby", before: at("2026-11-21T10:00:00Z") }],
  ["deliveries", { name: "deliveries" }],
  ["delivery failed", { name: "deliveries", state: "failed" }],
  ["deliveries pending", { name: "deliveries", state: "waiting" }],
  ["deliveries state:delivered", { name: "deliveries", state: "delivered" }],
  [
    "deliveries failed type:connection.created since:2h until:1h last:20",
    {
      name: "deliveries",
      state: "failed",
      type: "connection.created",
      since: at("2026-11-21T10:00:00Z"),
      until: at("2026-11-21T11:00:00Z"),
      last: 20,
    },
  ],
  ["deliveries last 2 hours", { name: "deliveries", since: at("2026-11-21T10:00:00Z") }],
  [`deliveries event:${eventId}`, { name: "deliveries", event: eventId }],
  [`deliveries id:${deliveryId} in:demo`, { name: "deliveries", id: deliveryId, in: "demo" }],
  [`resend ${deliveryId}`, { name: "resend", id: deliveryId }],
  [`resend event:${eventId}`, { name: "resend", id: eventId, is: "event" }],
  [`resend delivery ${deliveryId}`, { name: "resend", id: deliveryId, is: "delivery" }],
  ["deliveries resend since:1h", { name: "resend", since: at("2026-11-21T11:00:00Z") }],
  ["resend failed since:1h", { name: "resend", since: at("2026-11-21T11:00:00Z") }],
  ["resend last hour", { name: "resend", since: at("2026-11-21T11:00:00Z") }],
  [
    "resend since:2h until:1h type:connection.created",
    {
      name: "resend",
      since: at("2026-11-21T10:00:00Z"),
      until: at("2026-11-21T11:00:00Z"),
      type: "connection.created",
    },
  ],
  ["endpoints", { name: "endpoints" }],
  ["endpoint in:demo", { name: "endpoints", in: "demo" }],
  ["endpoints enable event", { name: "enable", endpoint: "event" }],
  ["endpoint on event", { name: "enable", endpoint: "event" }],
  ["enable endpoint auth", { name: "enable", endpoint: "auth" }],
  ["enable session", { name: "enable", endpoint: "session" }],
  ["disconnect lobby", { name: "disconnect", channel: "lobby" }],
  ["disconnect channel:lobby in:demo", { name: "disconnect", channel: "lobby", in: "demo" }],
  [
    "disconnect connection:0J9V6TQ2M4EXK7C3R8ZB5HW1NA channel:lobby",
    { name: "disconnect", channel: "lobby", connection: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA" },
  ],
  ["disconnect lobby conn:c1", { name: "disconnect", channel: "lobby", connection: "c1" }],
  ["audit", { name: "audit" }],
  ["audit log", { name: "audit" }],
  [
    "audit since:today until:10:00 by:me action:token.revoke last:5 as:json",
    {
      name: "audit",
      since: at("2026-11-21T00:00:00Z"),
      until: at("2026-11-21T10:00:00Z"),
      by: me,
      action: "token.revoke",
      last: 5,
      as: "json",
    },
  ],
  ["audit by <@U0ANN|ann>", { name: "audit", by: ann }],
];
