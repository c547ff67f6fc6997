import type { IssuedToken, ResentDeliveries, RevokedTokens, WebhookEndpoint } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { formatEnabled, formatResent } from "../terminal/index.js";
import { issued, now, revokedChannel, revokedToken } from "../test/samples.js";
import { issuedTokens, issuedTokenWords, revokedWords } from "./tokens.js";

const [lobby, endless, later, revoked, expired] = issued as [
  IssuedToken,
  IssuedToken,
  IssuedToken,
  IssuedToken,
  IssuedToken,
];

describe("the heading of issued tokens", () => {
  it.each<[tokens: IssuedToken[], hasMore: boolean, words: string]>([
    [[], false, "No active tokens."],
    [[lobby], false, "1 active token."],
    [[lobby, lobby, later], false, "3 active tokens."],
    [[lobby, endless], false, "2 active tokens; ▲ 1 never ends."],
    [[endless, endless], true, "At least 2 active tokens; ▲ 2 never end."],
    [[revoked, expired], false, "No active tokens. 2 have ended."],
    [[revoked, expired], true, "None of these tokens is active. 2 have ended."],
    [[lobby, revoked], false, "1 active token. 1 more has ended."],
  ])("of %j, with more: %j, is %j", (tokens, hasMore, words) => {
    expect(issuedTokens(tokens, { now, hasMore }).words).toBe(words);
  });
});

describe("a token in a line", () => {
  it("names people as the caller does, and shows a state and an end that it does not know as they are", () => {
    expect(issuedTokenWords(revoked, { now, nameOf: (name) => name.slice(-3) })).toContain("by BEN · requested by ANN");
    const odd: IssuedToken = JSON.parse('{"jwt_id":"a","state":"frozen","expiration_time":"soon","role":7}');
    expect(issuedTokenWords(odd, { now })).toBe("every channel · 7 · frozen · ends soon · a");
  });
});

const wide = { now, width: Number.POSITIVE_INFINITY };

describe("what was revoked", () => {
  it.each<[revoked: RevokedTokens, words: string]>([
    [
      revokedToken,
      "✓ Token 5f0c8a52…2c11 is revoked. Within 2 s, the whole service refuses it. Connected clients stay connected.",
    ],
    [
      { ...revokedToken, effective_by: new Date(now + 180).toISOString() },
      "✓ Token 5f0c8a52…2c11 is revoked. Within 1 s, the whole service refuses it. Connected clients stay connected.",
    ],
    [
      { ...revokedToken, tokens: 0, effective_by: "2026-11-21T14:00:00Z", disconnected: 0, not_disconnected: 0 },
      "✓ Token 5f0c8a52…2c11 is revoked; this service did not issue it, or it had already ended. The whole service refuses it. No client was connected with such a token.",
    ],
    [
      revokedChannel,
      "▲ 3 tokens for lobby that were issued before 14:05:30 are revoked. Within 2 s, the whole service refuses them. 2 connections were ended, but 1 connection was not ended: The media server answered 503.",
    ],
    [
      { ...revokedChannel, tokens: 1, disconnected: 1, not_disconnected: 0, fault: "The media server is slow." },
      "▲ 1 token for lobby that was issued before 14:05:30 is revoked. Within 2 s, the whole service refuses it. Not all connections could be ended: The media server is slow.",
    ],
    [
      { channel_id: "lobby@demo", revoked_at: "", effective_by: "", tokens: 0, disconnected: 1, not_disconnected: 0 },
      "✓ Tokens for lobby are revoked; this service knows of none. The whole service refuses them. 1 connection was ended.",
    ],
    [
      { ...revokedChannel, counted_since: "2026-11-21T14:00:00Z", disconnected: 0, not_disconnected: 0, fault: "" },
      "✓ At least 3 tokens for lobby that were issued before 14:05:30 are revoked. Within 2 s, the whole service refuses them. No client was connected with such a token.",
    ],
    [
      {
        channel_id: "lobby@demo",
        counted_since: "2026-11-21T14:00:00Z",
        revoked_at: "",
        effective_by: "",
        tokens: 0,
        disconnected: 1,
        not_disconnected: 0,
      },
      "✓ Tokens for lobby are revoked; they were not all counted. The whole service refuses them. 1 connection was ended.",
    ],
    [
      { ...revokedChannel, disconnected: 0, not_disconnected: 2, fault: "" },
      "▲ 3 tokens for lobby that were issued before 14:05:30 are revoked. Within 2 s, the whole service refuses them. 2 connections were not ended.",
    ],
  ])("%#: says from when on, and what became of connections", (revoked, words) => {
    expect(revokedWords(revoked, { now })).toBe(words);
  });
});

describe("what was sent again", () => {
  it.each<[resent: ResentDeliveries, words: string]>([
    [{ resent: 0 }, "▲ Nothing to resend: no delivery matches."],
    [{ resent: 1, delivery_id: "d" }, "✓ Resending 1 webhook with the same webhook-id as before."],
    [{ resent: 1200 }, "✓ Resending 1,200 webhooks with the same webhook-id as before."],
  ])("%j is: %s", (resent, words) => expect(formatResent(resent, wide)).toBe(words));
});

describe("an endpoint that was switched on", () => {
  const url = "https://hooks.example/in";
  it.each<[endpoint: WebhookEndpoint, words: string]>([
    [{ kind: "auth", url, state: "ok" }, "✓ The auth webhook is switched on."],
    [
      { kind: "event", url, state: "ok", waiting: 1 },
      "✓ The event webhook is switched on. 1 event waits to be sent. Events that failed in the meantime are not included: resend them.",
    ],
    [{ kind: "session", url, state: "off" }, "▲ The session webhook is still switched off."],
  ])("%j is: %s", (endpoint, words) => expect(formatEnabled(endpoint, wide)).toBe(words));
});
