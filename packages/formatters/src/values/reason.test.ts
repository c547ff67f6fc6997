import type { EventReason } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { type ReasonDetails, reasonIn, reasonWords } from "./reason.js";

describe("a reason in words", () => {
  it.each<[reason: EventReason | undefined, details: ReasonDetails | undefined, words: string]>([
    ["no-token", {}, "no token"],
    ["malformed", {}, "malformed token"],
    ["bad-signature", {}, "token with a bad signature"],
    ["unknown-key", {}, "token of an unknown key"],
    ["revoked-key", {}, "token of a revoked key"],
    ["expired", {}, "token expired"],
    ["not-yet-valid", {}, "token not yet valid"],
    ["wrong-channel", {}, "token for another channel"],
    ["wrong-role", {}, "token for another role"],
    ["revoked", {}, "token revoked"],
    [
      "revoked",
      { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 34, 15) },
      "token revoked (4 min earlier)",
    ],
    ["limit-0", {}, "token allows no connections"],
    ["channel-full", { detail: "5 of 5" }, "channel full (5 of 5)"],
    [
      "expired",
      { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 34, 15) },
      "token expired (4 min earlier)",
    ],
    ["expired", { detail: "at 2026-04-01T09:30:15Z" }, "token expired"],
    ["expired", { detail: "at 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 9, 30, 15, 999) }, "token expired"],
    [
      "not-yet-valid",
      { detail: "from 2026-04-01T09:30:15Z", time: Date.UTC(2026, 3, 1, 8, 30, 15) },
      "token not yet valid (1 h too early)",
    ],
    ["own-address", { detail: "at noon", time: 0 }, "denied by the project's webhook (at noon)"],
    ["own-address", {}, "denied by the project's webhook"],
    ["own-address", { detail: "not invited" }, "denied by the project's webhook (not invited)"],
    ["unknown-project", {}, "unknown project"],
    ["ice-timeout", { mediaReason: "ICE-TIMEOUT" }, "ICE timeout"],
    ["ice-timeout", { mediaReason: "ICE-CONNECTION-TIMEOUT" }, "ICE timeout"],
    ["ice-failed", { mediaReason: "ICE-RESTART" }, "ICE failed, ICE-RESTART"],
    ["dtls-failed", { mediaReason: "dtls_error" }, "DTLS failed"],
    ["signaling-lost", { mediaReason: "WEBSOCKET-ERROR" }, "signaling lost, WEBSOCKET-ERROR"],
    ["timeout", { mediaReason: "TIMEOUT" }, "timeout"],
    ["lifetime-expired", { mediaReason: "LIFETIME-EXPIRED" }, "lifetime expired"],
    ["disconnected-by-api", { mediaReason: "DISCONNECTED-API" }, "disconnected by the API"],
    ["node-gone", undefined, "node died"],
    ["other", {}, "another reason"],
    ["other", { mediaReason: "SOLAR-FLARE", detail: "X9" }, "SOLAR-FLARE (X9)"],
    [undefined, { mediaReason: "SOLAR-FLARE" }, "SOLAR-FLARE"],
    [undefined, { detail: "X9" }, "reason not known (X9)"],
    [undefined, undefined, "reason not known"],
  ])("%j with %j is %j", (reason, details, words) => {
    expect(reasonWords(reason, details)).toBe(words);
  });

  it("of a newer service is shown unchanged", () => {
    expect(reasonIn({ outcome: "failed", reason: "solar-flare", media_reason: "SOLAR-FLARE" })).toBe("solar-flare");
  });

  it("of an entry has the distance of its time", () => {
    const entry = { timestamp: "2026-04-01T09:30:45.5Z", outcome: "refused", reason: "revoked-key" };
    expect(reasonIn({ ...entry, detail: "at 2026-04-01T09:30:15.5Z" })).toBe("token of a revoked key (30 s earlier)");
  });

  it("is empty for an ordinary end, and for an entry without one", () => {
    expect(reasonIn({ outcome: "ok", media_reason: "NO-ERROR" })).toBe("");
    expect(reasonIn({ outcome: "failed" })).toBe("");
    for (const reason of [null, 7, " ", {}])
      expect(reasonIn({ reason, media_reason: reason, detail: reason })).toBe("");
  });
});
