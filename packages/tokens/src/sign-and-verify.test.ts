import fc from "fast-check";
import { base64url, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import { anyClaims } from "../test/claims.js";
import { apiKey, privateJwk, publicJwk, ways, withoutNode } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  ed25519ToTokenKey,
  readKeyId,
  readUnverifiedToken,
  signToken,
  TokenInvalidError,
  TokenUsageError,
  textToTokenKey,
  toClaims,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");
const seconds = now / 1000;
const key = apiKeyToTokenKey(apiKey);
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

/** Expects the claims, or a refusal with a code. */
const expectVerified = (claims: object, code: string | undefined, verified: Promise<unknown>): Promise<void> =>
  code ? expect(verified).rejects.toMatchObject({ code }) : expect(verified).resolves.toMatchObject({ claims });

describe.each(ways)("verifyToken with %s", (_, signing, verifying) => {
  it("returns the signed claims unchanged, and the key that verified them", async () => {
    await fc.assert(
      fc.asyncProperty(anyClaims, async ({ exp, nbf, ...claims }) => {
        expect(await verifyToken(await signToken(claims, signing), verifying, { now })).toStrictEqual({
          claims,
          key: verifying,
        });
      }),
    );
  });

  it("refuses a token if any part was changed", async () => {
    const token = await signToken({ channel_id: "lobby@demo", role: "recvonly", jti: "?~" }, signing);
    const anyCharacter = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \né");
    const change = fc.record({
      at: fc.nat(token.length),
      removed: fc.nat(2),
      added: fc.string({ unit: anyCharacter, maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, added }) => {
        const changed = token.slice(0, at) + added + token.slice(at + removed);
        fc.pre(changed !== token);
        await expect(verifyToken(changed, verifying, { now })).rejects.toThrow(TokenInvalidError);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses a token whose last character was changed, even in its spare bits", async () => {
    const token = await signToken({}, signing);
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      if (token.endsWith(last)) continue;
      await expect(verifyToken(token.slice(0, -1) + last, verifying, { now })).rejects.toThrow(TokenInvalidError);
    }
  });

  it("refuses a token from another key with the same id", async () => {
    const other = textToTokenKey("another text".repeat(3), { kid: verifying.kid });
    const otherPair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    if (!("privateKey" in otherPair)) return expect.fail();
    const otherEd = await ed25519ToTokenKey(otherPair.privateKey, { kid: verifying.kid });
    const token = await signToken({}, verifying.alg === "HS256" ? other : otherEd);
    await expect(verifyToken(token, verifying, { now })).rejects.toMatchObject({ code: "bad-signature" });
  });

  it.each([
    ["is valid if it has no times", {}, 0, undefined],
    ["is valid at exactly nbf", { nbf: seconds }, 0, undefined],
    ["is not valid a millisecond before nbf", { nbf: seconds }, -1, "not-yet-valid"],
    ["is valid a millisecond before exp", { exp: seconds }, -1, undefined],
    ["is not valid at exactly exp", { exp: seconds }, 0, "expired"],
    ["is not valid long after exp", { exp: 0 }, 0, "expired"],
    ["is not valid long before nbf", { nbf: 1e300 }, 0, "not-yet-valid"],
    ["is valid with an iat 60 s ahead", { iat: seconds + 60 }, 0, undefined],
    // No revocation of a channel would end it.
    ["is not valid with an iat further ahead", { iat: seconds + 60 }, -1, "not-yet-valid"],
    ["is not valid with an iat far ahead", { iat: 1e300 }, 0, "not-yet-valid"],
    ["is valid between nbf and exp", { nbf: seconds - 1, exp: seconds + 1 }, 0, undefined],
    ["is valid with fractional times", { nbf: seconds - 0.5, exp: seconds + 0.5 }, 0, undefined],
  ])("a token %s", async (_, claims, ms, code) => {
    await expectVerified(claims, code, verifyToken(await signToken(claims, signing), verifying, { now: now + ms }));
  });
});

describe("verifyToken", () => {
  it.each([
    ["at nbf minus the tolerance", { nbf: seconds + 30 }, 0, undefined],
    ["a millisecond before nbf minus the tolerance", { nbf: seconds + 30 }, -1, "not-yet-valid"],
    ["a millisecond before exp plus the tolerance", { exp: seconds - 30 }, -1, undefined],
    ["at exp plus the tolerance", { exp: seconds - 30 }, 0, "expired"],
    ["an iat up to the tolerance ahead, but at least 60 s", { iat: seconds + 60 }, 0, undefined],
  ])("tolerates a clock difference: %s", async (_, claims, ms, code) => {
    const options = { now: now + ms, clockToleranceSeconds: 30 };
    await expectVerified(claims, code, verifyToken(await signToken(claims, key), key, options));
  });

  it("reports how long ago a token expired, and when it becomes valid", async () => {
    const past = await signToken({ exp: seconds - 90 }, key);
    await expect(verifyToken(past, key, { now: now + 250 })).rejects.toThrow(
      new TokenInvalidError("expired", "The token expired 90 s ago. Make a new one."),
    );
    const future = await signToken({ nbf: seconds + 90 }, key);
    await expect(verifyToken(future, key, { now: now + 250 })).rejects.toThrow(
      new TokenInvalidError("not-yet-valid", "The token is not valid yet. Use it in 90 s."),
    );
    const ahead = await signToken({ iat: seconds + 90 }, key);
    await expect(verifyToken(ahead, key, { now: now + 250 })).rejects.toThrow(
      new TokenInvalidError(
        "not-yet-valid",
        "The token's iat is 90 s ahead, and at most 60 s are allowed. Correct the clock of the program that signed it.",
      ),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses a current time that is %s, at which nothing would expire",
    async (now) => {
      await expect(verifyToken(await signToken({ exp: 0 }, key), key, { now })).rejects.toThrow(TokenUsageError);
    },
  );

  it.each([Number.NaN, -1])("refuses a tolerance of %s", async (clockToleranceSeconds) => {
    const verified = verifyToken(await signToken({}, key), key, { now, clockToleranceSeconds });
    await expect(verified).rejects.toThrow(TokenUsageError);
  });

  it("keeps unknown claims", async () => {
    const token = await new SignJWT({ sub: "ann", nested: { deep: [1] } })
      .setProtectedHeader({ alg: "HS256" })
      .sign(hmacKey);
    const { claims } = await verifyToken(token, key, { now });
    expect(claims).toStrictEqual({ sub: "ann", nested: { deep: [1] } });
  });

  it("accepts a token that another library has signed with the API key's text", async () => {
    const token = await new SignJWT({ channel_id: "lobby@demo" })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 600)
      .sign(hmacKey);
    const { claims } = await verifyToken(token, key, { now });
    expect(claims).toStrictEqual({ channel_id: "lobby@demo", iat: seconds, exp: seconds + 600 });
  });
});

describe("verifyToken with several keys", async () => {
  const oldKey = apiKeyToTokenKey(`mo_k0_the-one-that-is-replaced_${"s".repeat(32)}`);
  const edKey = await ed25519ToTokenKey(privateJwk);
  const edPublicKey = await ed25519ToTokenKey(publicJwk);
  const keys = [oldKey, edPublicKey, key];

  it.each([
    ["k0", oldKey, oldKey],
    ["k1", key, key],
    ["e1", edKey, edPublicKey],
  ])("finds %s by its id", async (_, signing, verifying) => {
    expect((await verifyToken(await signToken({}, signing), keys, { now })).key).toBe(verifying);
  });

  it("tries each key with a matching algorithm if the token has no key id", async () => {
    const token = await new SignJWT().setProtectedHeader({ alg: "HS256" }).sign(hmacKey);
    expect((await verifyToken(token, keys, { now })).key).toBe(key);
    await expect(verifyToken(token, [edPublicKey, oldKey], { now })).rejects.toMatchObject({ code: "bad-signature" });
    await expect(verifyToken(token, edPublicKey, { now })).rejects.toMatchObject({ code: "unknown-key" });
  });

  it("refuses two keys with the same id, for any token", async () => {
    const twin = textToTokenKey("another text".repeat(3), { kid: "k1" });
    for (const twins of [
      [twin, oldKey, key],
      [key, oldKey, key],
    ]) {
      await expect(verifyToken(await signToken({}, key), twins, { now })).rejects.toThrow(
        new TokenUsageError(
          "keys[0] and keys[2] have the same kid, so a token cannot say which one has signed it. Give each its own.",
        ),
      );
    }
    const unnamed = [textToTokenKey(apiKey), textToTokenKey("another text".repeat(3))];
    await expect(verifyToken(await signToken({}, key), [...unnamed, key], { now })).resolves.toMatchObject({ key });
  });

  it("does not try other keys if the token has a key id", async () => {
    const unnamed = textToTokenKey(apiKey);
    const token = await signToken({}, key);
    for (const others of [[], oldKey, unnamed, [oldKey, unnamed, edPublicKey]]) {
      await expect(verifyToken(token, others, { now })).rejects.toMatchObject({ code: "unknown-key" });
    }
  });

  it("refuses a private key, for any token", async () => {
    for (const token of [await signToken({}, key), await signToken({}, edKey), "no token"]) {
      await expect(verifyToken(token, [key, edKey], { now })).rejects.toThrow(
        new TokenUsageError("A private key cannot verify. Verify with the public key that belongs to it."),
      );
    }
  });
});

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
