import { expect, describe as group, it } from "vitest";
import type { DescribeOptions } from "./language.js";
import { language, when } from "./test/language.js";
import { describePeriod } from "./values.js";

const { describe, write } = language;
const tokenId = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";

function described(typed: string, options: DescribeOptions = {}): string {
  const result = language.parse(typed, { ...when, timeZone: options.timeZone });
  if (!result.ok) throw new Error(result.problem.reason);
  return describe(result.command, options);
}

group("a description", () => {
  it.each([
    ["logs webhooks failed since:2h", "failed webhooks of demo, last 2 hours"],
    ["summary api ok url~list-", "summary of successful API calls of demo, url with list-"],
    ["logs webhooks status:0,4xx,5xx since:2h", "webhook logs of demo, status 0, 4xx or 5xx, last 2 hours"],
    ["logs webhooks since:1h", "webhook logs of demo, last hour"],
    ["logs webhooks since:1d", "webhook logs of demo, last 24 hours"],
    ["logs webhooks since:7d", "webhook logs of demo, last 7 days"],
    ["logs webhooks since:90s", "webhook logs of demo, last 90 seconds"],
    ["logs webhooks since:90m", "webhook logs of demo, last 90 minutes"],
    ["logs webhooks since:yesterday", "webhook logs of demo, since 2026-11-20"],
    ["logs webhooks since:yesterday until:today", "webhook logs of demo, since 2026-11-20, until 2026-11-21 00:00 UTC"],
    ["logs webhooks since:2h until:1h", "webhook logs of demo, since 2026-11-21 10:00 UTC, until 2026-11-21 11:00 UTC"],
    ["logs webhooks in:other last:50 as:csv", "webhook logs of other, the newest 50, as csv"],
    ["summary media-api target~Disconnect", "summary of media API logs of demo, target with Disconnect"],
    ["logs connections top:10 sort:bytes", "connection logs of demo, the top 10, largest bytes first"],
    ["logs sessions sort:-ended", "session logs of demo, oldest destroyed first"],
    [
      "summary webhooks failed by:url,code since:1d",
      "summary of failed webhooks of demo, last 24 hours, by url and status",
    ],
    ["token lobby role:recvonly for:10m", "token for lobby of demo, recvonly, 10 minutes"],
    [
      "token channel:* max:5 starting:13:00",
      "token for every channel of demo, at most 5 connections, from 2026-11-21 13:00 UTC",
    ],
    ["trace lobby since:1h", "trace of lobby of demo, last hour"],
    ["trace client:c1 last:20 as:csv", "trace of client c1 of demo, the newest 20, as csv"],
    ["why", "why connections failed in project demo"],
    ["why lobby since:20m", "why connections failed in channel lobby in project demo, last 20 minutes"],
    ["live", "live connections in project demo"],
    ["live lobby in:other", "live connections in channel lobby in project other"],
    ["logs events failed reason:ice-*", "failed events of demo, reason ice-*"],
    ["logs events reason:ice* failed", "failed events of demo, reason ice*"],
    ["summary events ok by:reason,node", "summary of successful events of demo, by reason and node"],
    ["status", "status of demo"],
    ["help times", "help on times"],
    ["help", "help"],
    [`revoke ${tokenId}`, `revoke token ${tokenId} of demo`],
    ["revoke lobby disconnect", "revoke all tokens for lobby of demo, and disconnect its clients"],
    ["revoke lobby before:2h", "revoke all tokens for lobby of demo, issued before 2026-11-21 10:00 UTC"],
    ["resend since:1h", "resend failed deliveries (last hour) of demo"],
    ["enable event", "enable the event endpoint of demo"],
    ["disconnect lobby", "disconnect channel lobby in project demo"],
    ["disconnect lobby connection:c1", "disconnect connection c1 of channel lobby in project demo"],
    ["tokens lobby by:me all", "access tokens for lobby of demo, revoked and ended ones, too, by you"],
    ["audit by:<@U0ANN> action:token.revoke", "audit log of demo, by <@U0ANN>, token.revoke"],
    ["watch webhooks failed", "watch of failed webhooks of demo"],
    [
      "watch webhooks failed when:failed>5% over:10m quiet:22-7",
      "watch of failed webhooks of demo, more than 5% failed, within 10 min, quiet from 22:00 to 07:00",
    ],
    [
      "watch events reason:ice-timeout when:count>=2000 over:90m in:other",
      "watch of event logs of other, reason ice-timeout, at least 2,000, within 1 h 30 min",
    ],
    ["watch api url~list- when:p95>2s", "watch of API logs of demo, url with list-, p95 above 2 s"],
    ["watch api when:p50>=250ms over:30s", "watch of API logs of demo, p50 at least 250 ms, within 30 s"],
    ["watch api over:1m", "watch of API logs of demo, within a minute"],
    ["watch api over:60m", "watch of API logs of demo, within an hour"],
    ["watch api when:failed>=0.5%", "watch of API logs of demo, at least 0.5% failed"],
    ["digest at:9 in:#general", "daily digest of demo, at 09:00, in #general"],
    ["digest at:off project:other", "daily digest of other, off"],
  ])("describes %j as %j", (typed, text) => {
    expect(described(typed, { project: "demo", now: when.now })).toBe(text);
  });

  it.each([
    ["logs webhooks failed since:2h", { conditions: "", period: "in the last 2 hours", limit: "" }],
    [
      "summary api status:5xx url~list- since:yesterday",
      { conditions: "status 5xx, url with list-", period: "since 2026-11-20", limit: "" },
    ],
    [
      "logs api since:2h until:1h",
      { conditions: "", period: "since 2026-11-21 10:00 UTC until 2026-11-21 11:00 UTC", limit: "" },
    ],
    ["logs sessions last:5", { conditions: "", period: "", limit: "the newest 5" }],
    ["summary api by:status,url", { conditions: "", period: "", limit: "by status and url" }],
    ["trace lobby since:1h last:5", { conditions: "", period: "in the last hour", limit: "the newest 5" }],
    ["why lobby since:20m", { conditions: "", period: "in the last 20 minutes", limit: "" }],
    ["status", { conditions: "", period: "", limit: "" }],
    [
      "watch events failed reason:ice-* channel:lobby when:count>20",
      { conditions: "reason ice-*, channel lobby", period: "", limit: "" },
    ],
  ])("has parts, of %s", (typed, parts) => {
    const result = language.parse(typed, when);
    expect(result.ok && language.phrases(result.command, { now: when.now })).toEqual(parts);
  });

  it("omits the project and the relative time if neither is known", () => {
    expect(described("token lobby role:recvonly for:10m")).toBe("token for lobby, recvonly, 10 minutes");
    expect(described("logs webhooks since:2h")).toBe("webhook logs, since 2026-11-21 10:00 UTC");
  });

  it("shows a relative time also a few seconds later, but never shows a fixed time as a relative one", () => {
    const result = language.parse("logs webhooks since:2h", { now: when.now + 123 });
    const command = result.ok ? result.command : ({ name: "help" } as const);
    expect(describe(command, { now: when.now + 3500 })).toBe("webhook logs, last 2 hours");
    expect(describe(command, { now: when.now + 120_000 })).toBe("webhook logs, since 2026-11-21 10:00:00 UTC");
    expect(described("logs webhooks since:10:58", { now: when.now + 5000 })).toBe(
      "webhook logs, since 2026-11-21 10:58 UTC",
    );
  });

  it.each([
    [60_000, "minute"],
    [900_000, "15 minutes"],
    [3_600_000, "hour"],
    [86_400_000, "24 hours"],
    [7 * 86_400_000, "7 days"],
    [5_400_000, "90 minutes"],
    [9_000_000, "2 hours 30 minutes"],
  ])("of a period of %d ms reads as the last %s", (ms, text) => {
    expect(describePeriod(ms)).toBe(text);
  });

  it("shows times in the reader's time zone", () => {
    const options = { timeZone: "Europe/Berlin", now: when.now };
    expect(described("logs webhooks until:09:00", options)).toBe("webhook logs, until 2026-11-21 09:00");
    expect(described("logs webhooks since:yesterday", options)).toBe("webhook logs, since 2026-11-20");
  });

  it("stays on one safe line, even if a name contains control characters", () => {
    expect(described(`token "a\nb\u202ec${"x".repeat(200)}"`)).toBe(`token for a␊b�c${"x".repeat(74)}…`);
    expect(described(`token "${"x".repeat(78)}💥y"`)).toBe(`token for ${"x".repeat(78)}…`);
    expect(described('webhooks url~"\u0007"')).toBe("webhook logs, url with ␇");
    expect(described('token "$& {in}"')).toBe("token for $& {in}");
  });
});

group("written text", () => {
  it("quotes and names a value that would otherwise have another meaning", () => {
    expect(write({ name: "token", channel: "main hall", max: 0 })).toBe('token channel:"main hall" max:0');
    expect(write({ name: "token", max: 5 })).toBe("token channel:* max:5");
    expect(write({ name: "token" })).toBe("token");
    // "token help" and "token list" would be questions.
    expect(write({ name: "token", channel: "help" })).toBe("token channel:help");
    expect(write({ name: "token", channel: "list" })).toBe("token channel:list");
    expect(write({ name: "trace", what: "0J9V6TQ2…W1NA", is: "connection" })).toBe("trace 0J9V6TQ2…W1NA is:connection");
    expect(write({ name: "trace", what: "client", is: "client" })).toBe("trace what:client is:client");
    // "why list" would be a question, and "why 2h" a time.
    expect(write({ name: "why", channel: "list" })).toBe("why channel:list");
    expect(write({ name: "why", channel: "2h" })).toBe("why channel:2h");
    expect(write({ name: "why", channel: "1ｓ" })).toBe("why channel:1ｓ");
    expect(write({ name: "why", channel: "drops" })).toBe("why drops");
    expect(write({ name: "live", channel: "lobby" })).toBe("live lobby");
  });
});
