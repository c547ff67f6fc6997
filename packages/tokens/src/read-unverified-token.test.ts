import fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { anyClaims } from "../test/claims.js";
import { apiKey, ways } from "../test/keys.js";
import { readKeyId, readUnverifiedToken, signToken, TokenInvalidError } from "./index.js";

describe.each(ways)("readUnverifiedToken of a token signed with %s", (_, key) => {
  it("returns its header and claims without a key, for any times", async () => {
    await fc.assert(
      fc.asyncProperty(anyClaims, async (claims) => {
        const token = await signToken(claims, key);
        expect(readUnverifiedToken(token)).toStrictEqual({ alg: key.alg, kid: key.kid, claims });
        expect(readKeyId(token)).toBe(key.kid);
      }),
    );
  });

  it("returns them even if the token was changed", async () => {
    const [header, , signature] = (await signToken({ role: "recvonly" }, key)).split(".");
    const forged = `${header}.${base64url.encode('{"role":"sendonly"}')}.${signature}`;
    expect(readUnverifiedToken(forged).claims).toStrictEqual({ role: "sendonly" });
  });
});

describe("readUnverifiedToken", () => {
  it.each([
    ["an API key", apiKey],
    ["a truncated token", "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjo"],
    ["claims of a wrong type", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOiJuZXZlciJ9.c2ln"],
  ])("refuses %s as malformed", (_, token) => {
    expect(() => readUnverifiedToken(token)).toThrow(TokenInvalidError);
  });

  it("accepts any text without an unexpected error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(() => readUnverifiedToken(text)).toThrow(TokenInvalidError);
        expect(() => readKeyId(text)).toThrow(TokenInvalidError);
      }),
    );
  });
});
