import type {
  AuditEntry,
  Delivery,
  IssuedToken,
  ResentDeliveries,
  RevokedTokens,
  WebhookEndpoint,
} from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import type { Button } from "@slack/types";
import { describe, expect, it } from "vitest";
import { revokedWords } from "./acts.js";
import { actionWords, auditEntryWords } from "./audit.js";
import { deliveriesListing, deliveryWords, endpointsListing, resendOutcomeWords } from "./deliveries.js";
import { issuedTokens, issuedTokenWords } from "./issued.js";
import * as slack from "./slack/index.js";
import * as terminal from "./terminal/index.js";
import { deliveries, endpoints, issued, now, revokedChannel, revokedToken } from "./test/samples.js";
import { previewOf } from "./test/slack-preview.js";

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
      { ...revokedToken, effective_by: new Date(now + 180).toISOString() },
      "✓ Token 5f0c8a52…2c11 is revoked. Within 1 s, the whole service refuses it. Connected clients stay connected.",
    ],
    [
      { ...revokedToken, tokens: 0, effective_by: "2026-11-21T14:00:00Z", disconnected: 0, not_disconnected: 0 },
      "✓ Token 5f0c8a52…2c11 is revoked; this service did not issue it, or it had already ended. The whole service refuses it. No client was connected with such a token.",
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
  ])("%j is: %s", (resent, words) => expect(terminal.formatResent(resent, wide)).toBe(words));
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
  ])("%j is: %s", (endpoint, words) => expect(terminal.formatEnabled(endpoint, wide)).toBe(words));
});

const [waiting, failed, delivered] = deliveries as [Delivery, Delivery, Delivery];

describe("webhook deliveries", () => {
  it.each([
    [[], false, "No deliveries were found."],
    [[failed], false, "1 delivery: 1 failed."],
    [[delivered, delivered], true, "At least 2 deliveries: 2 delivered."],
  ])("%#: are counted by their state", (given, hasMore, words) => {
    expect(deliveriesListing(given, { now, hasMore }).words).toBe(words);
  });

  it("says if it was not attempted yet", () => {
    expect(deliveryWords({ ...waiting, attempts: [], fault: "" }, { now })).toContain("· no attempt yet · next try in");
  });
});

describe("a delivery that was sent again", () => {
  const tried = (status: number, state: Delivery["state"]): Delivery => ({
    ...failed,
    state,
    attempts: [...failed.attempts, { timestamp: new Date(now).toISOString(), status }],
  });

  it.each([
    [{ ...failed, state: "waiting" as const }, undefined],
    [{ ...failed, attempts: [] }, undefined],
    [tried(200, "delivered"), "✓ Resent and delivered: the receiver answered 200."],
    [tried(503, "waiting"), "▲ Resent, but the receiver answered 503. It will be retried."],
    [tried(0, "failed"), "▲ Resent, but the receiver did not answer. It will not be retried."],
  ])("%#: is described by its new attempt", (after, words) => {
    expect(resendOutcomeWords(failed, after)).toBe(words);
  });

  it("has a new attempt although only the newest are kept", () => {
    const after = { ...tried(200, "delivered"), attempts: tried(200, "delivered").attempts.slice(1) };
    expect(resendOutcomeWords(failed, after)).toContain("delivered");
  });
});

describe("webhook endpoints", () => {
  it("have only the columns that say something", () => {
    const titles = (given: readonly WebhookEndpoint[]) =>
      endpointsListing(given, { now }).columns.map(({ title }) => title);
    expect(titles(endpoints.slice(0, 1))).toEqual(["Kind", "State", "URL"]);
    expect(titles(endpoints)).toEqual(["Kind", "State", "Since", "Waiting", "URL", "Reason"]);
  });
});

describe("an action in words", () => {
  it.each<[action: string, entry: Partial<AuditEntry>, words: string]>([
    ["token.revoke", {}, "revoked a token"],
    ["token.revoke", { outcome: "refused" }, "tried to revoke a token"],
    ["token.revoke", { subject: "lobby@demo" }, "revoked a channel's tokens"],
    ["deliveries.resend", {}, "sent webhooks again"],
    ["deliveries.resend", { outcome: "failed" }, "tried to send webhooks again"],
    ["endpoint.enable", {}, "switched on an endpoint"],
    ["media-api.DisconnectChannel", {}, "disconnected a channel"],
    ["media-api.DisconnectConnection", { outcome: "failed" }, "tried to disconnect a connection"],
    ["media-api.DisconnectAll", {}, "called DisconnectAll of the media server"],
    ["operator.keys create", {}, "ran keys create"],
    ["operator.keys create", { requested_by: "ann" }, "ran keys create as the operator"],
    ["token.polish", {}, "token.polish"],
    ["token.polish", { outcome: "refused" }, "token.polish"],
    ["toString", {}, "toString"],
    ["", {}, "–"],
  ])("%s with %j is %j", (action, entry, words) => {
    expect(actionWords({ action, outcome: "done", ...entry })).toBe(words);
  });
});

describe("an audit entry in a line", () => {
  it("says how many acts it stands for, if these are several", () => {
    const entry: AuditEntry = { timestamp: "2026-03-01T00:00:00Z", action: "token.revoke", outcome: "refused" };
    expect(auditEntryWords({ ...entry, count: 1666 }, { now })).toContain("· ▲ refused 1,666 times");
    expect(auditEntryWords(entry, { now })).not.toContain("times");
  });
});

const button = ({ jwt_id }: IssuedToken): Button => ({
  type: "button",
  text: { type: "plain_text", text: "Revoke" },
  action_id: `revoke:${jwt_id}`,
});

/** So many active tokens. */
const tokens = (count: number): IssuedToken[] =>
  Array.from({ length: count }, (_, at) => ({
    ...(issued[0] as IssuedToken),
    jwt_id: `5f0c8a52-3f5e-4f0b-9d9a-${String(at).padStart(12, "0")}`,
  }));

describe("a list in Slack", () => {
  it("shows 20 items, or as many as were asked for, and says how many more there are", () => {
    const { blocks, shown } = slack.formatTokens(tokens(32), { now });
    expect(shown).toBe(20);
    expect(previewOf(blocks)).toMatch(/<sub>… and 12 more<\/sub>$/);
    const preview = previewOf(slack.formatTokens(tokens(32), { now, atMost: 5, hasMore: true }).blocks);
    expect(preview).toContain("At least 32 active tokens.");
    expect(preview).toMatch(/<sub>… and at least 27 more<\/sub>$/);
  });

  it("fits into a message with a button for each item, and leaves blocks for the caller", () => {
    const { blocks, shown } = slack.formatTokens(tokens(100), { now, atMost: 100, button, note: "Of demo." });
    expect(shown).toBe(22);
    expect(blocks.length).toBeLessThanOrEqual(46);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(slack.formatTokens(tokens(100), { now, atMost: 100 }).shown).toBe(40);
  });

  it("mentions a person only by an id of Slack, and escapes any other name", () => {
    const shown = (name: string | { userId: string }) =>
      JSON.stringify(slack.formatTokens(tokens(1), { now, nameOf: () => name }).blocks);
    expect(shown({ userId: "U0ANN" })).toContain("requested by <@U0ANN>");
    expect(shown({ userId: "U0ANN> <!channel" })).toContain("requested by `slack:T0PLAY/U0ANN`");
    expect(shown("<@U0ANN> <!channel>")).toContain("requested by `&lt;@U0ANN&gt; &lt;!channel&gt;`");
    expect(shown("")).toContain("requested by `slack:T0PLAY/U0ANN`");
  });

  it("says if it is empty", () => {
    expect(slack.formatTokens([], { now }).text).toBe("Access tokens: No active tokens.");
    expect(slack.formatEndpoints([], { now }).text).toBe("Webhook endpoints: The project has no webhook endpoint.");
    expect(slack.formatAudit([], { now, title: "Audit log of demo" }).text).toBe(
      "Audit log of demo: No entries were found.",
    );
  });
});

describe("one delivery in Slack", () => {
  it("shows the newest of very many attempts, and says how many are older", () => {
    const attempts = Array.from({ length: 52 }, () => ({ timestamp: "2026-11-21T14:03:23Z", status: 503 }));
    const { blocks } = slack.formatDelivery({ ...Object(deliveries[0]), attempts }, { now });
    expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
    expect(previewOf(blocks)).toMatch(/<sub>2 older attempts are not shown\.<\/sub>$/);
  });
});
