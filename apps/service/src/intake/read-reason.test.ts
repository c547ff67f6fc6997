import { expect, it } from "vitest";
import { readReason } from "./events.js";

it.each([
  [undefined, { outcome: "ok" }],
  ["", { outcome: "ok" }],
  ["NO-ERROR", { outcome: "ok" }],
  ["WEBSOCKET-ONCLOSE", { outcome: "ok" }],
  ["ICE-TIMEOUT", { outcome: "failed", reason: "ice-timeout" }],
  ["ICE-CONNECTION-STATE-FAILED", { outcome: "failed", reason: "ice-failed" }],
  ["ice_timeout", { outcome: "failed", reason: "ice-timeout" }],
  ["DTLS-HANDSHAKE-ERROR", { outcome: "failed", reason: "dtls-failed" }],
  ["DISCONNECTED-API", { outcome: "ok", reason: "disconnected-by-api" }],
  ["LIFETIME-EXPIRED", { outcome: "ok", reason: "lifetime-expired" }],
  ["SIGNALING-ERROR", { outcome: "failed", reason: "signaling-lost" }],
  ["PONG-TIMEOUT", { outcome: "failed", reason: "timeout" }],
  ["SERVICE-RESTART", { outcome: "ok", reason: "other" }],
])("the media server's word %j is read as %j", (word, { outcome, ...more }) => {
  expect(readReason(word)).toEqual({ outcome, ...more, ...(word && { media_reason: word }) });
});

it("a word is cut to the contract's 255 characters", () => {
  expect(readReason("X".repeat(300)).media_reason).toHaveLength(255);
});
