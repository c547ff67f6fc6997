import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyChannelId, anyClaims, roles } from "../test/claims.js";
import { apiKey } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  type ConnectionAttempt,
  decideAdmission,
  signToken,
  type TokenClaims,
  TokenInvalidError,
  TokenUsageError,
  toRevocationList,
  verifyToken,
} from "./index.js";

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

const now = Date.parse("2026-04-01T09:30:15Z");
const seconds = now / 1000;
const key = apiKeyToTokenKey(apiKey);
const jti = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
const viewer = { channel_id: "lobby@demo", role: "recvonly", channel_connections: 0 };

describe("a revoked jwt_id", () => {
  const revocations = toRevocationList([{ jwt_id: jti.toUpperCase(), revoked_at: "2026-04-01T09:00:00Z" }]);

  it("ends the token with this id, whatever the case of its letters", async () => {
    const token = await signToken({ jti }, key);
    await expect(verifyToken(token, key, { now, revocations })).rejects.toThrow(
      new TokenInvalidError("revoked", "The token was revoked. Make a new one."),
    );
    expect(decideAdmission({ jti }, viewer, { revocations })).toMatchObject({ allowed: false, rule: "revoked" });
    expect(toRevocationList([{ jwt_id: jti }]).find({ jti: jti.toUpperCase() })).toEqual({ jwt_id: jti });
  });

  it("ends no other token, and none without an id", async () => {
    fc.assert(
      fc.property(fc.option(fc.uuid(), { nil: undefined }), (other) => {
        fc.pre(other !== jti);
        expect(decideAdmission({ jti: other }, viewer, { revocations }).allowed).toBe(true);
      }),
    );
  });

  it("reports an expired token as expired", async () => {
    const token = await signToken({ jti, exp: seconds }, key);
    await expect(verifyToken(token, key, { now, revocations })).rejects.toMatchObject({ code: "expired" });
  });
});

describe("a revoked channel", () => {
  const of = (issued_before: string) => toRevocationList([{ channel_id: "lobby@demo", issued_before }]);
  const channel_id = "lobby@demo";

  it.each<[string, TokenClaims, string, boolean]>([
    ["issued a second before", { iat: seconds - 1, channel_id }, "2026-04-01T09:30:15Z", true],
    ["issued in the second that begins then", { iat: seconds, channel_id }, "2026-04-01T09:30:15Z", false],
    ["issued in the same second", { iat: seconds, channel_id }, "2026-04-01T09:30:15.001Z", true],
    ["issued a second after", { iat: seconds + 1, channel_id }, "2026-04-01T09:30:15.999Z", false],
    ["issued before, by another time zone", { iat: seconds - 1, channel_id }, "2026-04-01T18:30:15+09:00", true],
    ["that doesn't say when it was issued", { channel_id }, "2026-04-01T09:30:15Z", true],
    ["for every channel", { iat: seconds - 1 }, "2026-04-01T09:30:15Z", true],
  ])("a token %s", (_, claims, issuedBefore, isRevoked) => {
    const admission = decideAdmission(claims, viewer, { revocations: of(issuedBefore) });
    expect(admission.allowed).toBe(!isRevoked);
  });

  it("ends exactly the tokens whose iat is before the time", () => {
    const anyTime = fc.integer({ min: 0, max: 4e12 });
    // Close to the time, where it matters.
    const anyIat = (ms: number) => fc.integer({ min: -2, max: 2 }).map((more) => Math.floor(ms / 1000) + more);
    const anyCase = anyTime.chain((ms) => anyIat(ms).map((iat) => ({ ms, iat })));
    fc.assert(
      fc.property(anyCase, fc.constantFrom({ channel_id }, {}), ({ ms, iat }, claims) => {
        const found = of(new Date(ms).toISOString()).find({ ...claims, iat }, channel_id);
        expect(found !== undefined).toBe(iat * 1000 < ms);
      }),
    );
  });

  it("is refused when a token for this channel is verified", async () => {
    const revocations = of("2026-04-01T09:30:15Z");
    const [old, later] = await Promise.all([-1, 0].map((more) => signToken({ iat: seconds + more, channel_id }, key)));
    await expect(verifyToken(old ?? "", key, { now, revocations })).rejects.toMatchObject({ code: "revoked" });
    await expect(verifyToken(later ?? "", key, { now, revocations })).resolves.toBeDefined();
  });

  it("ends the tokens for this channel whichever channel is looked up, and those for others never", () => {
    const revocations = of("2026-04-01T09:30:15Z");
    expect(revocations.find({ iat: 0, channel_id }, "stage@demo")).toBeDefined();
    expect(revocations.find({ iat: 0, channel_id: "stage@demo" }, channel_id)).toBeUndefined();
    expect(revocations.find({ iat: 0 })).toBeUndefined();
  });

  it("lets a token for every channel into other channels", async () => {
    const revocations = of("2026-04-01T09:30:15Z");
    const claims = { iat: seconds - 1 };
    expect(decideAdmission(claims, { ...attempt, channel_id: "stage@demo" }, { revocations }).allowed).toBe(true);
    await expect(verifyToken(await signToken(claims, key), key, { now, revocations })).resolves.toBeDefined();
  });

  it("counts with its latest time", () => {
    const times = ["2026-04-01T09:30:15Z", "2026-04-01T09:30:10Z"];
    const list = toRevocationList(times.map((issued_before) => ({ channel_id, issued_before })));
    expect(list.find({ iat: seconds - 1, channel_id })).toMatchObject({ issued_before: times[0] });
  });
});

it("a refused viewer has the first reason: project and channel, then revoked, then role and seats", () => {
  const revocations = toRevocationList([{ jwt_id: jti }]);
  const decide = (claims: TokenClaims, project_id = "demo") =>
    decideAdmission({ jti, role: "sendonly", max_channel_connections: 0, ...claims }, viewer, {
      project_id,
      revocations,
    });
  expect(decide({}, "other")).toMatchObject({ rule: "other-project" });
  expect(decide({ channel_id: "stage@demo" })).toMatchObject({ rule: "other-channel" });
  expect(decide({})).toEqual({ allowed: false, rule: "revoked", reason: "The token was revoked. Make a new one." });
});

it("further members of a revocation, as the service lists it, change nothing", () => {
  const times = { revoked_at: "2026-04-01T09:00:00Z", expires_at: "2026-04-01T09:10:00Z" };
  const listed = { jwt_id: jti, revoked_by: "ann", ...times };
  expect(toRevocationList([listed]).find({ jti })).toBe(listed);
});

it("an empty list revokes nothing", () => {
  expect(toRevocationList([]).isEmpty).toBe(true);
  expect(toRevocationList([{ jwt_id: jti }]).isEmpty).toBe(false);
});

it.each<[string, unknown]>([
  ["no id at all", {}],
  ["both", { jwt_id: jti, channel_id: "lobby@demo", issued_before: "2026-04-01T09:30:15Z" }],
  ["a channel without a time", { channel_id: "lobby@demo" }],
  ["a time that is none", { channel_id: "lobby@demo", issued_before: "today" }],
  ["a channel that is none", { channel_id: "lobby", issued_before: "2026-04-01T09:30:15Z" }],
  ["a text", jti],
  ["null", null],
])("refuses a revocation with %s, by its index", (_, wrong) => {
  const list = () => toRevocationList(JSON.parse(JSON.stringify([{ jwt_id: jti }, wrong])));
  expect(list).toThrow(TokenUsageError);
  expect(list).toThrow(/^revocations\[1\] must have either/);
});
