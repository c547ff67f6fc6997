// Types that users rely on. The compiler checks most of them; running the tests only checks that the exports exist at
// run time.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type Admission,
  type AdmissionRule,
  apiKeyToTokenKey,
  decideAdmission,
  type NewTokenClaims,
  signToken,
  type TokenClaims,
  TokenError,
  type TokenInvalidCode,
  TokenInvalidError,
  type TokenKey,
  TokenRequestError,
  type TokenRequestFault,
  toClaims,
  toRevocationList,
  type VerifiedToken,
  verifyToken,
} from "./index.js";

describe("the types", () => {
  it("have all members of a request, all of them optional", () => {
    const options = { now: 0 };
    expectTypeOf(toClaims).returns.toEqualTypeOf<NewTokenClaims>();
    expectTypeOf(toClaims).toBeCallableWith({}, options);
    expectTypeOf(toClaims).toBeCallableWith({ role: "recvonly", channel_id: undefined }, options);
    // @ts-expect-error a role that does not exist
    expectTypeOf(toClaims).toBeCallableWith({ role: "admin" }, options);
    // @ts-expect-error a misspelt member
    expectTypeOf(toClaims).toBeCallableWith({ expiration_tme: "2026-04-01T03:10:00Z" }, options);
    // @ts-expect-error a number instead of an RFC 3339 time
    expectTypeOf(toClaims).toBeCallableWith({ not_before: 1775035815 }, options);
    // @ts-expect-error the current time is missing
    expectTypeOf(toClaims).toBeCallableWith({}, {});
  });

  it("accept only keys that this package created", () => {
    expectTypeOf(apiKeyToTokenKey).returns.toEqualTypeOf<TokenKey>();
    expectTypeOf(signToken).toBeCallableWith({}, apiKeyToTokenKey(`mo_k1_${"s".repeat(43)}`));
    // @ts-expect-error the API key itself
    expectTypeOf(signToken).toBeCallableWith({}, "mo_k1_secret");
    // @ts-expect-error an object that only looks like a key
    expectTypeOf(signToken).toBeCallableWith({}, { alg: "HS256", kid: "k1" } as const);
  });

  it("accept one key or several, and return typed claims", () => {
    expectTypeOf(verifyToken).parameter(1).toEqualTypeOf<TokenKey | readonly TokenKey[]>();
    expectTypeOf(verifyToken).returns.resolves.toEqualTypeOf<VerifiedToken>();
    expectTypeOf<TokenClaims["role"]>().toEqualTypeOf<"sendrecv" | "sendonly" | "recvonly" | undefined>();
    expectTypeOf<TokenClaims["exp" | "nbf" | "iat" | "max_channel_connections"]>().toEqualTypeOf<number | undefined>();
  });

  it("take revocations as the service lists them, with a token, or with a channel and a time", () => {
    const attempt = { channel_id: "lobby@demo", role: "recvonly", channel_connections: 0 };
    expectTypeOf(toRevocationList).toBeCallableWith([{ jwt_id: "a" }]);
    expectTypeOf(toRevocationList).toBeCallableWith(new Set([{ channel_id: "lobby@demo", issued_before: "" }]));
    const listed: { jwt_id?: string; channel_id?: string; issued_before?: string; revoked_at: string }[] = [];
    expectTypeOf(toRevocationList).toBeCallableWith(listed);
    // @ts-expect-error a time that is no text
    expectTypeOf(toRevocationList).toBeCallableWith([{ channel_id: "lobby@demo", issued_before: 0 }]);
    // @ts-expect-error a list that was not compiled
    expectTypeOf(decideAdmission).toBeCallableWith({}, attempt, { revocations: [] });
    expectTypeOf(decideAdmission).toBeCallableWith({}, attempt, { revocations: toRevocationList([]) });
  });

  it("have a rule and a reason if an attempt is refused, and only then", () => {
    const attempt = { channel_id: "lobby@demo", role: "recvonly", channel_connections: 0 };
    const admission: Admission = decideAdmission({ max_channel_connections: 0 }, attempt);
    // @ts-expect-error an allowed attempt has no reason
    expect(admission.reason).toBeTypeOf("string");
    if (admission.allowed) return expect.fail();
    expectTypeOf(admission.rule).toEqualTypeOf<AdmissionRule>();
    expectTypeOf(admission.reason).toEqualTypeOf<string>();
  });

  it("narrow an error by its class and by its code", () => {
    const error: unknown = new TokenInvalidError("expired", "over");
    if (!(error instanceof TokenError)) return expect.fail();
    expectTypeOf(error.code).toEqualTypeOf<TokenInvalidCode | "bad-request" | "usage">();
    if (error instanceof TokenRequestError) expectTypeOf(error.faults).toEqualTypeOf<readonly TokenRequestFault[]>();
    // One line per code: a missing or misspelt one does not compile.
    const advice = (code: TokenInvalidCode): string => {
      switch (code) {
        case "malformed":
        case "bad-signature":
          return "look at the token";
        case "unknown-key":
          return "look at the keys";
        case "not-yet-valid":
          return "wait";
        case "expired":
        case "revoked":
          return "make a new one";
      }
    };
    expect(advice("expired")).toBe("make a new one");
  });
});
