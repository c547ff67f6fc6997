import fc from "fast-check";
import { decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { describe, expect, it, vi } from "vitest";
import { anyClaims } from "../test/claims.js";
import { apiKey, privateJwk, publicJwk, ways, withoutNode } from "../test/keys.js";
import { apiKeyToTokenKey, ed25519ToTokenKey, signToken, TokenUsageError, textToTokenKey, toClaims } from "./index.js";

const hmacKey = new TextEncoder().encode(apiKey);
const edKey = await importJWK(publicJwk, "EdDSA");

describe.each(ways)("signToken with %s", (_, key) => {
  it("creates tokens that jose verifies, with all their claims", async () => {
    await fc.assert(
      fc.asyncProperty(anyClaims, async ({ exp, nbf, ...claims }) => {
        const token = await signToken(claims, key);
        const { payload } = await jwtVerify(token, key.alg === "HS256" ? hmacKey : edKey, { algorithms: [key.alg] });
        expect(payload).toEqual(claims);
      }),
    );
  });

  it("writes only alg, typ and kid into the header", async () => {
    const header = decodeProtectedHeader(await signToken({}, key));
    expect(header).toStrictEqual({ alg: key.alg, typ: "JWT", ...(key.kid !== undefined && { kid: key.kid }) });
  });

  it("signs the claims of a request", async () => {
    const now = Date.parse("2026-04-01T09:30:15.250Z");
    const request = { channel_id: "🎥@demo", role: "recvonly", expiration_time: "2026-04-01T10:00:00Z" } as const;
    const token = await signToken(toClaims(request, { now, newJwtId: () => "id" }), key);
    const { payload } = await jwtVerify(token, key.alg === "HS256" ? hmacKey : edKey, { currentDate: new Date(now) });
    expect(payload).toStrictEqual({
      iat: 1775035815,
      jti: "id",
      exp: 1775037600,
      channel_id: "🎥@demo",
      role: "recvonly",
    });
  });

  it.each([
    [{ exp: "2026-04-01T10:00:00Z" }, "/exp: Must be a number of seconds since 1970; this string"],
    [{ nbf: Number.NaN }, "/nbf: Must be a number of seconds since 1970; this number"],
    [{ iat: Number.POSITIVE_INFINITY }, "/iat: Must be a number of seconds since 1970; this number"],
    [{ jti: 7 }, "/jti: Must be a string; this number"],
    [{ channel_id: "lobby" }, "/channel_id: Must be <channel_name>@<project_id>, such as lobby@demo; this string"],
    [{ role: "admin" }, "/role: Must be one of sendrecv, sendonly, recvonly; this string"],
    [{ max_channel_connections: 5001 }, "/max_channel_connections: Must be a whole number from 0 to 5000; this number"],
    [null, "Must be a JSON object; null"],
    [new Map(), "Must be a JSON object; this object"],
  ])("refuses claims that cannot be verified: %j", async (claims, fault) => {
    const signing: Promise<string> = Reflect.apply(signToken, undefined, [claims, key]);
    const message = `There is 1 fault in the claims to sign. ${fault} is not one.`;
    await expect(signing).rejects.toThrow(new TokenUsageError(message));
  });

  it("refuses claims that make a token longer than the contract allows", async () => {
    await expect(signToken({ jti: "x".repeat(6000) }, key)).resolves.toMatch(/^eyJ/);
    await expect(signToken({ jti: "x".repeat(6200) }, key)).rejects.toThrow(TokenUsageError);
  });
});

describe("the two implementations of HS256", () => {
  it("create identical tokens", async () => {
    const anyText = fc.string({ unit: "grapheme", minLength: 32 });
    const anyKid = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(anyText, anyKid, anyClaims, async (text, kid, claims) => {
        const make = () => textToTokenKey(text, { kid });
        expect(await signToken(claims, make())).toBe(await signToken(claims, withoutNode(make)));
      }),
    );
  });

  it("are distinct: WebCrypto is only used without Node's modules, and imports a key once", async () => {
    const [sign, importKey] = [vi.spyOn(crypto.subtle, "sign"), vi.spyOn(crypto.subtle, "importKey")];
    await signToken({}, apiKeyToTokenKey(apiKey));
    expect(sign).toHaveBeenCalledTimes(0);
    const key = withoutNode(() => apiKeyToTokenKey(apiKey));
    await Promise.all([signToken({}, key), signToken({}, key)]);
    await signToken({}, key);
    expect(sign).toHaveBeenCalledTimes(3);
    expect(importKey).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });
});

describe("signToken with Ed25519", () => {
  it("signs deterministically, as in RFC 8032 and RFC 8037", async () => {
    const key = await ed25519ToTokenKey(privateJwk);
    expect(await signToken({ role: "recvonly" }, key)).toBe(await signToken({ role: "recvonly" }, key));
  });

  it("refuses a public key", async () => {
    const signing = signToken({}, await ed25519ToTokenKey(publicJwk));
    await expect(signing).rejects.toThrow(
      new TokenUsageError("A public key cannot sign. Sign with the private key that belongs to it."),
    );
  });
});
