import { createPrivateKey } from "node:crypto";
import { base64url } from "jose";
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
    await expect(jwksToTokenKeys({ keys: [] })).resolves.toEqual([]);
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
    const { x } = privateJwk;
    expect(publicJwk).toStrictEqual({ kty: "OKP", crv: "Ed25519", x, kid: "e5", alg: "EdDSA", use: "sig" });
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

const P = 2n ** 255n - 19n;
/** Any 255 bits of y, canonical or not, with the bit for the sign of x. */
function encode(y: bigint, sign: bigint): string {
  const bytes = Array.from({ length: 32 }, (_, index) => Number(((y + (sign << 255n)) >> BigInt(8 * index)) & 0xffn));
  return base64url.encode(Uint8Array.from(bytes));
}

// The y of the eight points of low order (RFC 7748 and RFC 8032): of order 4, 1, 2, 8 and 8.
const lowOrder = [
  0n,
  1n,
  P - 1n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
  0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
];
const keys = new Set([
  // Some decoders ignore the sign if x is 0.
  ...lowOrder.flatMap((y) => [encode(y, 0n), encode(y, 1n)]),
  // Non-canonical encodings: y from the prime on.
  ...Array.from({ length: 19 }, (_, beyond) => [0n, 1n].map((sign) => encode(P + BigInt(beyond), sign))).flat(),
]);

describe("a public key of low order", () => {
  it.each([...keys])("is refused as a JWK: %s", async (x) => {
    await expect(ed25519ToTokenKey({ kty: "OKP", crv: "Ed25519", x })).rejects.toThrow(TokenUsageError);
  });

  it("is refused as a CryptoKey", async () => {
    for (const x of keys) {
      const key = await crypto.subtle
        .importKey("jwk", { kty: "OKP", crv: "Ed25519", x }, "Ed25519", true, ["verify"])
        // Some runtimes refuse some of them.
        .catch(() => undefined);
      if (key) await expect(ed25519ToTokenKey(key)).rejects.toThrow("low order, for which anyone can sign");
    }
  });

  it("cannot hide in a non-extractable CryptoKey, which is refused", async () => {
    const { kid: _, ...jwk } = publicJwk;
    const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
    await expect(ed25519ToTokenKey(key)).rejects.toThrow("must be extractable, so that it can be checked");
  });

  it("is never detected in a valid key", async () => {
    for (let count = 0; count < 20; count++) {
      const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
      if (!("publicKey" in pair)) return expect.fail();
      await expect(ed25519ToTokenKey(pair.publicKey)).resolves.toMatchObject({ alg: "EdDSA" });
    }
  });
});

describe("a private key", () => {
  it.each([0, 1, 255])("that consists of 32 times the byte %i is refused", async (byte) => {
    // The PKCS #8 header for Ed25519, from RFC 8410.
    const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]);
    const jwk = createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "jwk" });
    await expect(ed25519ToTokenKey({ ...jwk, kty: "OKP" })).rejects.toThrow("so anyone can guess it");
  });

  it("is refused together with a public key of low order", async () => {
    await expect(ed25519ToTokenKey({ ...privateJwk, x: encode(0n, 0n) })).rejects.toThrow(TokenUsageError);
  });
});
