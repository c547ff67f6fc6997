import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyChannelId, anyClaims, roles } from "../test/claims.js";
import { type ConnectionAttempt, decideAdmission, type TokenClaims } from "./index.js";

const attempt: ConnectionAttempt = { channel_id: "lobby@demo", role: "sendrecv", channel_connections: 0 };
const NO_CONNECTIONS = "The token allows no connection at all: its max_channel_connections is 0.";
const anyAttempt: fc.Arbitrary<ConnectionAttempt> = fc.record({
  channel_id: anyChannelId,
  role: fc.constantFrom(...roles),
  channel_connections: fc.nat(10_000),
});

/** The rule that refuses an attempt, or "allowed". */
function outcome(claims: TokenClaims, more: Partial<ConnectionAttempt> = {}, project_id?: string): string {
  const admission = decideAdmission(claims, { ...attempt, ...more }, { project_id });
  return admission.allowed ? "allowed" : admission.rule;
}

describe("according to the specification", () => {
  it("a connection using a token whose value is N cannot be made when the channel already has N or more connections", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(10_000), (most, channel_connections) => {
        const expected = channel_connections >= most ? "channel-full" : "allowed";
        expect(outcome({ max_channel_connections: most }, { channel_connections })).toBe(expected);
      }),
    );
  });

  it("when max_channel_connections is 0, every connection attempt with that token fails", () => {
    expect(outcome({ max_channel_connections: 0 })).toBe("no-connections");
    fc.assert(
      fc.property(anyClaims, anyAttempt, (claims, attempt) => {
        expect(decideAdmission({ ...claims, max_channel_connections: 0 }, attempt).allowed).toBe(false);
      }),
    );
  });

  it("a full channel is refused with how many connections it has, and how many the token allows", () => {
    const decide = (limit: number) =>
      decideAdmission({ max_channel_connections: limit }, { ...attempt, channel_connections: 7 });
    expect(decide(5)).toMatchObject({ rule: "channel-full", seats: { taken: 7, limit: 5 } });
    expect(decide(0)).not.toHaveProperty("seats");
  });

  it("max_channel_connections applies per connection: another token's does not matter", () => {
    const channel_connections = 3;
    expect(outcome({ max_channel_connections: 3 }, { channel_connections })).toBe("channel-full");
    expect(outcome({ max_channel_connections: 4 }, { channel_connections })).toBe("allowed");
    expect(outcome({}, { channel_connections })).toBe("allowed");
  });

  it("no channel_id: good for every channel of the project", () => {
    fc.assert(
      fc.property(anyChannelId, (channel_id) => {
        const project = channel_id.slice(channel_id.lastIndexOf("@") + 1);
        expect(outcome({}, { channel_id }, project)).toBe("allowed");
        expect(outcome({}, { channel_id }, `${project}2`)).toBe("other-project");
      }),
    );
  });

  it("role given: only that role", () => {
    for (const granted of roles) {
      for (const role of roles) {
        expect(outcome({ role: granted }, { role })).toBe(role === granted ? "allowed" : "other-role");
      }
    }
  });
});

describe("decideAdmission", () => {
  it("allows everything to a token without limits", () => {
    fc.assert(
      fc.property(anyAttempt, (attempt) => {
        expect(decideAdmission({}, attempt)).toStrictEqual({ allowed: true });
      }),
    );
  });

  it.each([
    ["lobby@demo", "allowed"],
    ["Lobby@demo", "other-channel"],
    ["lobby@demo ", "other-channel"],
    ["lobby@demo@demo", "other-channel"],
    ["lobby", "other-channel"],
    ["", "other-channel"],
  ])("accepts only the token's own channel: %j is %s", (channel_id, expected) => {
    expect(outcome({ channel_id: "lobby@demo" }, { channel_id })).toBe(expected);
  });

  it.each([
    ["lobby@demo", "allowed"],
    ["lobby@other@demo", "allowed"],
    ["lobby@demo@other", "other-project"],
    ["lobby@Demo", "other-project"],
    ["lobby@", "other-project"],
    ["demo", "other-project"],
  ])("restricts the key of demo to its own channels: %j is %s", (channel_id, expected) => {
    expect(outcome({}, { channel_id }, "demo")).toBe(expected);
    expect(outcome({ channel_id }, { channel_id }, "demo")).toBe(expected);
  });

  it("does not treat a missing number of connections as a small one", () => {
    const { channel_connections: _, ...incomplete } = attempt;
    const decide = (attempt: object): unknown =>
      Reflect.apply(decideAdmission, undefined, [{ max_channel_connections: 5 }, attempt]);
    for (const channel_connections of [undefined, Number.NaN, "many"]) {
      expect(decide({ ...incomplete, channel_connections })).toMatchObject({ allowed: false, rule: "channel-full" });
    }
  });

  it.each([
    ["other-project", {}, "lobby@other", "The channel does not belong to the token's project."],
    ["other-channel", { channel_id: "stage@demo" }, "lobby@demo", "The token is for another channel."],
    ["other-role", { role: "recvonly" }, "lobby@demo", "The token is for the role recvonly only."],
    ["no-connections", { max_channel_connections: 0 }, "lobby@demo", NO_CONNECTIONS],
    [
      "channel-full",
      { max_channel_connections: 2 },
      "lobby@demo",
      "The token allows 2 connections in the channel, which has 3.",
    ],
    [
      "channel-full",
      { max_channel_connections: 1 },
      "lobby@demo",
      "The token allows 1 connection in the channel, which has 3.",
    ],
  ] as const)("returns the reason for %s", (rule, claims, channel_id, reason) => {
    const full = { channel_id, role: "sendrecv", channel_connections: 3 };
    expect(decideAdmission(claims, full, { project_id: "demo" })).toMatchObject({ allowed: false, rule, reason });
  });

  it("never reveals the channel or the id of a token", () => {
    const claims = { jti: "planted-id", channel_id: "planted-channel@demo" };
    fc.assert(
      fc.property(anyAttempt, (attempt) => {
        expect(JSON.stringify(decideAdmission(claims, attempt, { project_id: "demo" }))).not.toContain("planted");
      }),
    );
  });
});
