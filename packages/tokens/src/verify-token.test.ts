import fc from "fast-check";
import { base64url, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { anyClaims } from "../test/claims.js";
import { apiKey, privateJwk, publicJwk, ways } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  ed25519ToTokenKey,
  readKeyId,
  readUnverifiedToken,
  signToken,
  TokenInvalidError,
  TokenUsageError,
  textToTokenKey,
  verifyToken,
} from "./index.js";

const now = Date.parse("2026-04-01T09:30:15Z");
const seconds = now / 1000;
const key = apiKeyToTokenKey(apiKey);
const jose = new TextEncoder().encode(apiKey);

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
      .sign(jose);
    const { claims } = await verifyToken(token, key, { now });
    expect(claims).toStrictEqual({ sub: "ann", nested: { deep: [1] } });
  });

  it("accepts a token that another library has signed with the API key's text", async () => {
    const token = await new SignJWT({ channel_id: "lobby@demo" })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 600)
      .sign(jose);
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
    const token = await new SignJWT().setProtectedHeader({ alg: "HS256" }).sign(jose);
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
