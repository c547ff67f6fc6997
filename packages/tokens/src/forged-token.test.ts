// Forged tokens.
import fc from "fast-check";
import { base64url, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { apiKey, privateJwk, publicJwk, ways } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  ed25519ToTokenKey,
  signToken,
  TokenInvalidError,
  textToTokenKey,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");
const key = apiKeyToTokenKey(apiKey);

/** Signs any payload under any header with the API key. */
async function forge(header: object, payload: string | Uint8Array = "{}"): Promise<string> {
  const input = `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payload)}`;
  return `${input}.${await hmac(apiKey, input)}`;
}

async function hmac(text: string, input: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", encoder.encode(text), algorithm, false, ["sign"]);
  return base64url.encode(new Uint8Array(await crypto.subtle.sign("HMAC", secret, encoder.encode(input))));
}

describe("the token's own algorithm is never trusted:", async () => {
  const edPublicKey = await ed25519ToTokenKey(publicJwk);
  const body = base64url.encode("{}");
  const head = (header: object): string => base64url.encode(JSON.stringify(header));

  it.each(["none", "None", "NONE", "nOnE", ""])("alg %j, with and without a signature", async (alg) => {
    const input = `${head({ alg, kid: "k1" })}.${body}`;
    await expect(verifyToken(`${input}.`, key, { now })).rejects.toMatchObject({ code: "malformed" });
    const signed = `${input}.${await hmac(apiKey, input)}`;
    await expect(verifyToken(signed, key, { now })).rejects.toMatchObject({ code: "unknown-key" });
  });

  it.each([
    ["its x", publicJwk.x],
    ["its JWK", JSON.stringify(publicJwk)],
    ["its bytes as text", Buffer.from(publicJwk.x, "base64url").toString("latin1")],
  ])("an HS256 token whose HMAC key is the public text of an Ed25519 key: %s", async (_, text) => {
    const forged = textToTokenKey(text, { kid: "e1" });
    const token = await signToken({}, forged);
    await expect(verifyToken(token, edPublicKey, { now })).rejects.toMatchObject({ code: "unknown-key" });
    const relabelled = token.replace(/^[^.]+/, head({ alg: "EdDSA", typ: "JWT", kid: "e1" }));
    await expect(verifyToken(relabelled, edPublicKey, { now })).rejects.toMatchObject({ code: "bad-signature" });
  });

  it.each(["HS384", "HS512"])("an %s token with the right text", async (alg) => {
    const token = await new SignJWT().setProtectedHeader({ alg, kid: "k1" }).sign(new TextEncoder().encode(apiKey));
    await expect(verifyToken(token, key, { now })).rejects.toMatchObject({ code: "unknown-key" });
  });

  it("an EdDSA token for an HS256 key of the same name", async () => {
    const token = await signToken({}, await ed25519ToTokenKey(privateJwk, { kid: "k1" }));
    await expect(verifyToken(token, key, { now })).rejects.toMatchObject({ code: "unknown-key" });
    const relabelled = token.replace(/^[^.]+/, head({ alg: "HS256", typ: "JWT", kid: "k1" }));
    await expect(verifyToken(relabelled, key, { now })).rejects.toMatchObject({ code: "bad-signature" });
  });

  it("a key that is embedded in the token", async () => {
    const { publicKey, privateKey } = await crypto.subtle
      .generateKey("Ed25519", true, ["sign", "verify"])
      .then((pair) => {
        if ("privateKey" in pair) return pair;
        throw new Error("no pair");
      });
    const jwk = await crypto.subtle.exportKey("jwk", publicKey);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: "EdDSA", kid: "e1", jwk: { kty: "OKP", crv: "Ed25519", x: jwk.x ?? "" } })
      .sign(privateKey);
    await expect(verifyToken(token, edPublicKey, { now })).rejects.toMatchObject({ code: "bad-signature" });
  });
});

describe("verifyToken refuses as malformed", () => {
  const signed = (claims: string | Uint8Array, header: object = {}) => forge({ alg: "HS256", ...header }, claims);

  it.each([
    ["a value that is not a text", ""],
    ["a text", "token"],
    ["an API key", apiKey],
    ["a number", 7],
    ["nothing", undefined],
    ["two parts", "e30.e30"],
    ["four parts", "e30.e30.e30.e30"],
    ["an encrypted token", "e30.e30.e30.e30.e30"],
    ["an empty header", ".e30.e30"],
    ["a header that is not JSON", "bW8.e30.e30"],
    ["a header that is not an object", "W10.e30.e30"],
    ["a header without alg", "e30.e30.e30"],
  ])("%s", async (_, token) => {
    const verified: Promise<unknown> = Reflect.apply(verifyToken, undefined, [token, key, { now }]);
    await expect(verified).rejects.toMatchObject({ code: "malformed" });
  });

  it.each([
    ["white space", (token: string) => ` ${token}`],
    ["a line break", (token: string) => `${token}\n`],
    ["padding", (token: string) => `${token}=`],
    ["the other base64 alphabet", (token: string) => token.replace(".", "+.")],
  ])("a valid token with %s", async (_, change) => {
    await expect(verifyToken(change(await signToken({}, key)), key, { now })).rejects.toMatchObject({
      code: "malformed",
    });
  });

  it.each([
    ["a kid that is not a string", { alg: "HS256", kid: 7 }],
    ["an alg that is not a string", { alg: ["HS256"] }],
    ["crit", { alg: "HS256", crit: ["exp"], exp: 7 }],
    ["crit with b64", { alg: "HS256", crit: ["b64"], b64: false }],
    ["crit with nothing", { alg: "HS256", crit: [] }],
  ])("a header with %s", async (_, header) => {
    await expect(verifyToken(await forge(header), key, { now })).rejects.toMatchObject({ code: "malformed" });
  });

  it.each([
    ["invalid JSON", "exp"],
    ["JSON that is not an object", "[]"],
    ["null", "null"],
    ["invalid UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["an exp that is text", '{"exp":"1775035815"}'],
    ["an exp that is null", '{"exp":null}'],
    ["an exp that is too large", '{"exp":1e999}'],
    ["an nbf that is an array", '{"nbf":[0]}'],
    ["an iat that is a boolean", '{"iat":true}'],
    ["a jti that is a number", '{"jti":7}'],
    ["a channel_id without a project", '{"channel_id":"lobby"}'],
    ["a channel_id that is null", '{"channel_id":null}'],
    ["a role that does not exist", '{"role":"admin"}'],
    ["max_channel_connections as text", '{"max_channel_connections":"5"}'],
    ["max_channel_connections with a fraction", '{"max_channel_connections":1.5}'],
    ["max_channel_connections above 5000", '{"max_channel_connections":5001}'],
    ["max_channel_connections below 0", '{"max_channel_connections":-1}'],
  ])("claims with a single fault: %s", async (_, claims) => {
    await expect(verifyToken(await signed(claims), key, { now })).rejects.toMatchObject({ code: "malformed" });
  });

  it("more than 8192 characters, even if otherwise valid", async () => {
    const sized = (size: number) => signed(`{"jti":"${"x".repeat(size)}"}`);
    const longest = await sized(6085);
    expect(longest).toHaveLength(8192);
    await expect(verifyToken(longest, key, { now })).resolves.toMatchObject({ key });
    await expect(verifyToken(await sized(6086), key, { now })).rejects.toMatchObject({ code: "malformed" });
  });
});

describe.each(ways)("verifyToken with %s safely refuses", (_, __, verifying) => {
  const refused = async (token: unknown): Promise<void> => {
    const verified: Promise<unknown> = Reflect.apply(verifyToken, undefined, [token, verifying, { now }]);
    await expect(verified).rejects.toThrow(TokenInvalidError);
  };

  it("anything that is not a token", async () => {
    await fc.assert(fc.asyncProperty(fc.anything(), refused));
    await fc.assert(fc.asyncProperty(fc.string({ unit: "binary" }), refused));
  });

  it("any header, payload and signature", async () => {
    const part = fc.oneof(fc.json(), fc.string({ unit: "binary" })).map((text) => base64url.encode(text));
    const header = fc
      .dictionary(
        fc.constantFrom("alg", "kid", "crit", "typ", "b64", "zip"),
        fc.oneof(fc.constantFrom("HS256", "EdDSA", "none"), fc.jsonValue()),
      )
      .map((header) => base64url.encode(JSON.stringify(header)));
    const parts = fc.tuple(fc.oneof(header, part), part, part);
    await fc.assert(fc.asyncProperty(parts, (parts) => refused(parts.join("."))));
  });
});
