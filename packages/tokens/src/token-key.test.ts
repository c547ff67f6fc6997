import { createPrivateKey } from "node:crypto";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { apiKey, privateJwk, publicJwk } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  ed25519ToTokenKey,
  generateEd25519Jwk,
  jwksToTokenKeys,
  signToken,
  TokenUsageError,
  textToTokenKey,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");

describe("apiKeyToTokenKey", () => {
  it.each([
    [`mo_k1_${"s".repeat(32)}`, "k1"],
    [`mo_K9x_with_underscores_and-hyphens_${"s".repeat(43)}`, "K9x"],
    [`mo_k1_${"_".repeat(32)}`, "k1"],
  ])("reads the key id of %s %s", (text, kid) => {
    expect(apiKeyToTokenKey(text)).toMatchObject({ alg: "HS256", kid });
  });

  const secret = "s".repeat(32);
  it.each([
    ...["", `k1_${secret}`, `xo_k1_${secret}`, `mo__${secret}`, `mo_k-1_${secret}`, "mo_k1_", "mo_k1"],
    // A secret that was cut off, and a short one after a long key id.
    ...[`mo_k1_${"s".repeat(31)}`, `mo_${"k".repeat(64)}_s`],
    ...[`mo_k1_${secret}\n`, ` mo_k1_${secret}`, `"mo_k1_${secret}"`, `mo_k1_é${secret}`, undefined],
  ])("refuses %j", (text) => {
    expect(() => Reflect.apply(apiKeyToTokenKey, undefined, [text])).toThrow(TokenUsageError);
  });
});

describe("textToTokenKey", () => {
  // 32 bytes in 8 characters.
  const text = "🔑".repeat(8);

  it.each(["a", "x".repeat(31), "é".repeat(15)])("refuses a text of less than 256 bits: %s", (short) => {
    expect(() => textToTokenKey(short)).toThrow(TokenUsageError);
    expect(() => textToTokenKey(short)).toThrow(
      `The key's text must have at least 32 bytes for HS256 (RFC 7518, section 3.2), but has ${Buffer.byteLength(short)}.`,
    );
  });

  it("accepts any text, with or without a key id", () => {
    expect(textToTokenKey(text)).toMatchObject({ alg: "HS256", kid: undefined });
    expect(textToTokenKey(text, { kid: "spare key" })).toMatchObject({ alg: "HS256", kid: "spare key" });
  });

  it.each([
    ["a value that is not a text", ""],
    ["half a surrogate pair, all of which would be the same key", "\ud83d"],
    ["bytes", new Uint8Array(32)],
    ["undefined", undefined],
  ])("refuses %s", (_, text) => {
    expect(() => Reflect.apply(textToTokenKey, undefined, [text])).toThrow(TokenUsageError);
  });

  it.each(["", 7, null])("refuses the key id %j", (kid) => {
    expect(() => Reflect.apply(textToTokenKey, undefined, [text, { kid }])).toThrow(
      new TokenUsageError("kid must be a string with at least one character, or be left out."),
    );
  });
});

describe("ed25519ToTokenKey", () => {
  it("uses the JWK's key id by default", async () => {
    expect(await ed25519ToTokenKey(publicJwk)).toMatchObject({ alg: "EdDSA", kid: "e1" });
    expect(await ed25519ToTokenKey(publicJwk, { kid: "e2" })).toMatchObject({ alg: "EdDSA", kid: "e2" });
    const { kid: _, ...unnamed } = publicJwk;
    expect(await ed25519ToTokenKey(unnamed)).toMatchObject({ kid: undefined });
  });

  it("does not change the JWK", async () => {
    const jwk = { ...privateJwk };
    await signToken({}, await ed25519ToTokenKey(jwk));
    expect(jwk).toStrictEqual(privateJwk);
    expect(Object.isFrozen(jwk)).toBe(false);
  });

  it("accepts a pair of CryptoKeys", async () => {
    const { privateKey, publicKey } = await newPair("Ed25519");
    expect(await ed25519ToTokenKey(privateKey, { kid: "e3" })).toMatchObject({ alg: "EdDSA", kid: "e3" });
    expect(await ed25519ToTokenKey(publicKey)).toMatchObject({ alg: "EdDSA", kid: undefined });
  });

  it.each([
    ["EdDSA", { alg: "EdDSA" }],
    ["Ed25519, as current runtimes export it", { alg: "Ed25519" }],
    ["no alg", {}],
  ])("accepts a JWK whose alg is %s", async (_, more) => {
    expect(await ed25519ToTokenKey({ ...publicJwk, ...more })).toMatchObject({ alg: "EdDSA" });
  });

  it.each([
    ["another curve", { ...publicJwk, crv: "X25519" }],
    ["another kind of key", { ...publicJwk, kty: "EC" }],
    ["another algorithm", { ...publicJwk, alg: "ES256" }],
    ["a secret", { kty: "oct", k: "c2VjcmV0" }],
    ["half of the public key", { ...publicJwk, x: "11qYAYKxCrfVS_7TyWQHOg" }],
    ["half of the private key", { ...privateJwk, d: "nWGxne_9WmC6hEr0kuwsxA" }],
    ["an invalid point", { kty: "OKP", crv: "Ed25519" }],
    ["a key for another use", { ...publicJwk, key_ops: ["sign"] }],
    ["a text", apiKey],
    ["null", null],
    ["a JWK with an invalid key id", { ...publicJwk, kid: 7 }],
  ])("refuses %s", async (_, jwk) => {
    const making: Promise<unknown> = Reflect.apply(ed25519ToTokenKey, undefined, [jwk]);
    await expect(making).rejects.toThrow(TokenUsageError);
  });

  it("refuses a CryptoKey for another algorithm or another use", async () => {
    const ecdsa = await newPair({ name: "ECDSA", namedCurve: "P-256" });
    await expect(ed25519ToTokenKey(ecdsa.privateKey)).rejects.toThrow(TokenUsageError);
    const unused = await crypto.subtle.importKey("jwk", publicJwk, "Ed25519", true, []);
    await expect(ed25519ToTokenKey(unused)).rejects.toThrow(TokenUsageError);
  });
});

describe("a TokenKey", () => {
  it("cannot be changed to another algorithm", () => {
    expect(() => Object.assign(apiKeyToTokenKey(apiKey), { alg: "EdDSA" })).toThrow(TypeError);
  });

  it.each([
    ["the API key itself", apiKey],
    ["a copy", { ...apiKeyToTokenKey(apiKey) }],
    ["nothing", undefined],
  ])("must be created by this package: %s is refused", async (_, key) => {
    const signing: Promise<string> = Reflect.apply(signToken, undefined, [{}, key]);
    await expect(signing).rejects.toThrow(
      new TokenUsageError("A key must be made with apiKeyToTokenKey, textToTokenKey or ed25519ToTokenKey."),
    );
  });
});

async function newPair(algorithm: string | EcKeyGenParams) {
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  if ("privateKey" in pair) return pair;
  throw new Error("no pair");
}

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
