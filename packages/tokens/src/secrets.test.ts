import { inspect } from "node:util";
import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { privateJwk, withoutNode } from "../test/keys.js";
import {
  apiKeyToTokenKey,
  ed25519ToTokenKey,
  readUnverifiedToken,
  signToken,
  TokenError,
  type TokenKey,
  textToTokenKey,
  toClaims,
  verifyToken,
} from "./index.js";

const now = 0;
const apiKey = "mo_k1_plantedKeyThatMustNeverShowWhateverHappens";
const key = apiKeyToTokenKey(apiKey);
const token = await signToken({ jti: "plantedClaim" }, key);
const planted = ["planted", privateJwk.d, ...token.split(".").slice(1), btoa("planted").slice(0, 8)];

/** Every representation of a value that a person, a logger or an error tracker could see. */
function everythingOf(value: unknown): string {
  const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
  const { stack, message } = value instanceof Error ? value : {};
  return [shown, stack, message, String(value), JSON.stringify(value)].join("\n");
}

/** Calls a function with arguments that its types do not allow. */
const misuse =
  (call: (...args: never[]) => unknown, ...args: unknown[]) =>
  (): unknown =>
    Reflect.apply(call, undefined, args);
const notJson = (text: string): string => `${base64url.encode(text)}.${token.split(".").slice(1).join(".")}`;
const headed = (header: object): string => notJson(JSON.stringify(header));
const everywhere = { channel_id: apiKey, role: apiKey, not_before: apiKey, max_channel_connections: apiKey };

const mishaps: [string, () => unknown][] = [
  ["an API key with a line break", misuse(apiKeyToTokenKey, `${apiKey}\n`)],
  ["a text that is too short", misuse(textToTokenKey, "planted")],
  ["a truncated API key", misuse(apiKeyToTokenKey, apiKey.slice(0, 20))],
  ["two keys with the same id", misuse(verifyToken, token, [key, textToTokenKey(apiKey, { kid: key.kid })], { now })],
  ["a text that is not well-formed", misuse(textToTokenKey, `planted\ud800`)],
  ["a truncated private key", misuse(ed25519ToTokenKey, { ...privateJwk, d: privateJwk.d.slice(0, 40) })],
  ["a private key of another kind", misuse(ed25519ToTokenKey, { ...privateJwk, crv: "planted" })],
  ["a private key for an unknown algorithm", misuse(ed25519ToTokenKey, { ...privateJwk, alg: "planted" })],
  ["signing with the API key itself", misuse(signToken, {}, apiKey)],
  ["verifying with the API key itself", misuse(verifyToken, token, apiKey, { now })],
  ["a token in place of a UUID", misuse(toClaims, { jwt_id: token }, { now })],
  ["an API key in every member", misuse(toClaims, everywhere, { now })],
  ["an API key as the whole request", misuse(toClaims, apiKey, { now })],
  ["claims to sign that are secret", misuse(signToken, { exp: "planted", role: "planted" }, key)],
  ["a token with white space", misuse(verifyToken, ` ${token}`, key, { now })],
  ["a truncated token", misuse(verifyToken, token.slice(0, -9), key, { now })],
  ["an API key in place of a token", misuse(verifyToken, apiKey, key, { now })],
  ["a header that is not JSON", misuse(verifyToken, notJson("planted"), key, { now })],
  ["a kid that is the API key", misuse(verifyToken, headed({ alg: "HS256", kid: apiKey }), key, { now })],
  ["an alg that is the API key", misuse(verifyToken, headed({ alg: apiKey }), key, { now })],
  ["another key's token", misuse(verifyToken, token, apiKeyToTokenKey(`mo_k1_${"another".repeat(6)}`), { now })],
  ["reading a text that is not a token", misuse(readUnverifiedToken, notJson("planted"))],
];

describe("neither a key nor a token is exposed", () => {
  it.each(mishaps)("by the error after %s", async (_, mishap) => {
    const error = await (async () => mishap())().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TokenError);
    for (const secret of planted) expect(everythingOf(error)).not.toContain(secret);
  });

  const keys: [string, () => Promise<TokenKey> | TokenKey][] = [
    ["an API key's", () => key],
    ["a text's", () => textToTokenKey("planted".repeat(5))],
    ["an API key's, without Node's modules", () => withoutNode(() => apiKeyToTokenKey(apiKey))],
    ["a private key's", () => ed25519ToTokenKey(privateJwk)],
  ];
  it.each(keys)("by a TokenKey: %s", async (_, make) => {
    const key = await make();
    await signToken({}, key);
    for (const secret of planted) expect(everythingOf(key)).not.toContain(secret);
  });
});
