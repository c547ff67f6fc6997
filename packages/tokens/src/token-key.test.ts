import { describe, expect, it } from "vitest";
import { apiKey, privateJwk, publicJwk } from "../test/keys.js";
import { apiKeyToTokenKey, ed25519ToTokenKey, signToken, TokenUsageError, textToTokenKey } from "./index.js";

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
