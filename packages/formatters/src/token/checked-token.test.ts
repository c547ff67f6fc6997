import type { CheckedToken } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { badToken, goodToken, now } from "../test/samples.js";
import { checkedTokenParts } from "./checked-token.js";

const partsOf = (checked: CheckedToken) => checkedTokenParts(checked, { now });

describe("the state of a token", () => {
  it.each<[checked: CheckedToken, verdict: string, next: string]>([
    [goodToken, "✓ Good now, for another 8 min", ""],
    [{ active: true, jti: "a" }, "✓ Good now, and it ▲ never ends", ""],
    [badToken, "✗ Not good: token revoked", "The token was revoked. Make a new one."],
    [{ active: false, reason: "expired" }, "✗ Not good: token expired", "Make a new token."],
    [{ active: false, reason: "not-yet-valid" }, "✗ Not good: token not yet valid", "Wait until it begins."],
    [{ active: false }, "✗ Not good: reason not known", "Make a new token."],
  ])("%#: says whether it is good, and the next step", (checked, verdict, next) => {
    expect(partsOf(checked)).toMatchObject({ verdict, next });
  });

  it("says what a client would be answered now", () => {
    expect(partsOf(goodToken).admission).toBe(
      "✗ A client would be refused in lobby as recvonly: channel full. The token allows 5 connections in the channel, which has 5. Wait until one ends.",
    );
    const admission = { allowed: true, channel_id: "lobby@demo", role: "recvonly", channel_connections: 1 } as const;
    expect(partsOf({ ...goodToken, admission }).admission).toBe(
      "✓ A client would be admitted to lobby as recvonly; it has 1 connection.",
    );
    expect(partsOf({ active: true }).admission).toBe(
      "Name a channel to check whether a client would be admitted there.",
    );
  });

  it("does not repeat the reason of a token that is not good", () => {
    const admission = { allowed: false, channel_id: "lobby@demo", role: "recvonly", reason: "revoked" } as const;
    const message = "The token was revoked. Make a new one.";
    expect(partsOf({ ...badToken, admission: { ...admission, message } }).admission).toBe(
      "✗ A client would be refused in lobby as recvonly: token revoked.",
    );
  });

  it("says nothing about what a token allows that no key of the project has signed", () => {
    expect(partsOf({ active: false, reason: "bad-signature", key_id: "k" }).facts).toEqual([]);
    expect(partsOf(goodToken).facts.at(-1)).toEqual({ title: "Key id", text: "k7Qm2xVb" });
  });
});
