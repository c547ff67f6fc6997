import { describe, expect, it } from "vitest";
import { apiKey, privateJwk, publicJwk } from "../test/keys.js";
import {
  ed25519ToTokenKey,
  generateEd25519Jwk,
  jwksToTokenKeys,
  signToken,
  TokenUsageError,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");

describe("jwksToTokenKeys", () => {
  it("verifies tokens by the set's Ed25519 keys, and leaves others out", async () => {
    const { privateJwk: other, publicJwk: otherPublic } = await generateEd25519Jwk("e2");
    const rsa = { kty: "RSA", n: "AQAB", e: "AQAB", kid: "r1", use: "sig" };
    const forEncryption = { ...otherPublic, kid: "e3", use: "enc" };
    const { kid: _, ...nameless } = otherPublic;
    const keys = await jwksToTokenKeys({ keys: [publicJwk, rsa, forEncryption, nameless, otherPublic, null] });
    expect(keys.map(({ kid }) => kid)).toEqual(["e1", "e2"]);
    for (const jwk of [{ ...privateJwk }, { ...other }]) {
      const token = await signToken({ jti: "a" }, await ed25519ToTokenKey(jwk));
      await expect(verifyToken(token, keys, { now })).resolves.toMatchObject({ claims: { jti: "a" } });
    }
  });

  it("returns no keys for a set without any", async () => {
    await expect(jwksToTokenKeys({ keys: [] })).resolves.toEqual([]);
  });

  it.each<[unknown, string]>([
    [null, "null"],
    [apiKey, "this string"],
    [[publicJwk], "an array"],
    [publicJwk, "this object"],
    [{ keys: { 0: publicJwk } }, "this object"],
  ])("refuses %j, which is not a set, and says what it received", async (value, received) => {
    await expect(jwksToTokenKeys(value)).rejects.toThrow(
      new TokenUsageError(`jwks: Must be a JWK set, {"keys":[…]}; ${received} is not one.`),
    );
  });

  it.each([
    ["an Ed25519 key", privateJwk],
    ["one without a kid", { ...privateJwk, kid: undefined }],
    ["one for another use", { ...privateJwk, use: "enc" }],
    ["an RSA key", { kty: "RSA", n: "AQAB", e: "AQAB", d: "AQAB", kid: "r1" }],
  ])("refuses a set that shows the private part of %s, without showing it", async (_, jwk) => {
    const error = await jwksToTokenKeys({ keys: [publicJwk, jwk] }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TokenUsageError);
    expect(String(error)).toMatch(/keys\[1\] of the JWK set is a private key/);
    expect(String(error)).not.toContain(jwk.d);
  });

  it("refuses two keys with the same kid, but not if one of them is for another purpose", async () => {
    const { publicJwk: twin } = await generateEd25519Jwk(publicJwk.kid);
    const forEncryption = { ...twin, use: "enc" };
    await expect(jwksToTokenKeys({ keys: [publicJwk, forEncryption] })).resolves.toHaveLength(1);
    await expect(jwksToTokenKeys({ keys: [publicJwk, forEncryption, twin] })).rejects.toThrow(
      new TokenUsageError(
        "keys[0] and keys[2] have the same kid, so a token cannot say which one has signed it. Give each its own.",
      ),
    );
  });

  it("refuses an Ed25519 key for which anyone can sign", async () => {
    const weak = { ...publicJwk, x: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
    await expect(jwksToTokenKeys({ keys: [weak] })).rejects.toThrow(/low order/);
  });
});

describe("generateEd25519Jwk", () => {
  it("makes a pair whose public part can be published as it is", async () => {
    const { privateJwk, publicJwk } = await generateEd25519Jwk("e5");
    expect(publicJwk).toStrictEqual({
      kty: "OKP",
      crv: "Ed25519",
      x: privateJwk.x,
      kid: "e5",
      alg: "EdDSA",
      use: "sig",
    });
    const keys = await jwksToTokenKeys(JSON.parse(JSON.stringify({ keys: [publicJwk] })));
    const token = await signToken({ jti: "a" }, await ed25519ToTokenKey({ ...privateJwk }));
    await expect(verifyToken(token, keys, { now })).resolves.toMatchObject({ key: { kid: "e5" } });
  });

  it("refuses an empty kid", async () => {
    await expect(generateEd25519Jwk("")).rejects.toThrow(TokenUsageError);
  });

  it("makes another pair each time, of which the public part can't sign", async () => {
    const [one, two] = await Promise.all([generateEd25519Jwk("a"), generateEd25519Jwk("a")]);
    expect(one.privateJwk.d).not.toBe(two.privateJwk.d);
    expect(one.publicJwk).not.toHaveProperty("d");
    await expect(signToken({}, await ed25519ToTokenKey({ ...one.publicJwk }))).rejects.toThrow(TokenUsageError);
  });
});
