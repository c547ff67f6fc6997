import type { AuditEntry } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
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
  it("says how many acts it stands for, if these are several", () => {
    const entry: AuditEntry = { timestamp: "2026-03-01T00:00:00Z", action: "token.revoke", outcome: "refused" };
    expect(auditEntryWords({ ...entry, count: 1666 }, { now })).toContain("· ▲ refused 1,666 times");
    expect(auditEntryWords(entry, { now })).not.toContain("times");
  });
});
