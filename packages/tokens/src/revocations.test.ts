import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiKey } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  decideAdmission,
  signToken,
  type TokenClaims,
  TokenInvalidError,
  TokenUsageError,
  toRevocationList,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");
const seconds = now / 1000;
const key = apiKeyToTokenKey(apiKey);
const jti = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
const attempt = { channel_id: "lobby@demo", role: "recvonly", channel_connections: 0 };

describe("a revoked jwt_id", () => {
  const revocations = toRevocationList([{ jwt_id: jti.toUpperCase(), revoked_at: "2026-04-01T09:00:00Z" }]);

  it("ends the token with this id, whatever the case of its letters", async () => {
    const token = await signToken({ jti }, key);
    await expect(verifyToken(token, key, { now, revocations })).rejects.toThrow(
      new TokenInvalidError("revoked", "The token was revoked. Make a new one."),
    );
    expect(decideAdmission({ jti }, attempt, { revocations })).toMatchObject({ allowed: false, rule: "revoked" });
    expect(toRevocationList([{ jwt_id: jti }]).find({ jti: jti.toUpperCase() })).toEqual({ jwt_id: jti });
  });

  it("ends no other token, and none without an id", async () => {
    fc.assert(
      fc.property(fc.option(fc.uuid(), { nil: undefined }), (other) => {
        fc.pre(other !== jti);
        expect(decideAdmission({ jti: other }, attempt, { revocations }).allowed).toBe(true);
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
    const admission = decideAdmission(claims, attempt, { revocations: of(issuedBefore) });
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

it("a refused attempt has the first reason: project and channel, then revoked, then role and seats", () => {
  const revocations = toRevocationList([{ jwt_id: jti }]);
  const decide = (claims: TokenClaims, project_id = "demo") =>
    decideAdmission({ jti, role: "sendonly", max_channel_connections: 0, ...claims }, attempt, {
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
