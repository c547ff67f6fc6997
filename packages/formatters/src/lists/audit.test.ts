import type { AuditEntry } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { audit } from "../test/operation-samples.js";
import { now } from "../test/samples.js";
import { actionWords, auditEntryWords } from "./audit.js";

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
  it.each(
    [
      "14:04:02 (1 min ago) · slack:T0PLAY/U0ANN revoked a token 5f0c8a52…2c11 · 1 token",
      "14:02:40 (2 min ago) · cli:ann@host tried to disconnect a channel lobby · ✗ failed · the media server answered 503",
      "13:50:00 (15 min ago) · Key k7Qm2xVb tried to revoke a channel's tokens lobby · ▲ refused · The channel belongs to another project.",
      "13:40:00 (25 min ago) · deploy switched on an endpoint event",
      "Nov 20 09:10:00 (1 d ago) · The operator ran keys create demo",
      "Nov 20 09:00:00 (1 d ago) · Somebody: token.polish",
    ].map((words, at) => [words, audit[at] as AuditEntry] as const),
  )("says who did what: %s", (words, entry) => {
    expect(auditEntryWords(entry, { now })).toBe(words);
  });

  it("says how many acts it stands for, if these are several", () => {
    const entry: AuditEntry = { timestamp: "2026-03-01T00:00:00Z", action: "token.revoke", outcome: "refused" };
    expect(auditEntryWords({ ...entry, count: 1666 }, { now })).toContain("· ▲ refused 1,666 times");
    expect(auditEntryWords(entry, { now })).not.toContain("times");
  });
});
