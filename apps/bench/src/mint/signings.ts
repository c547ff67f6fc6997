import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { apiKeyToTokenKey, signToken, type TokenClaims } from "@media-ops/tokens";
import { jwtVerify, SignJWT } from "jose";
import jsonwebtoken from "jsonwebtoken";
import { AccessToken } from "livekit-server-sdk";
import { type Measured, race } from "../measure.js";
import { compare, type Goal, type Result, ratioAtLeast } from "../report.js";
import { headerOf } from "./header.js";

const HOUR_S = 3600;
const GOAL = 2;

const apiKey = `mo_bench_${randomBytes(32).toString("base64url")}`;
const header = headerOf(apiKey);
const secret = createSecretKey(Buffer.from(apiKey));
const now = Math.floor(Date.now() / 1000);
const grant = { channel_id: "lobby@bench", role: "sendrecv", max_channel_connections: 50 } as const;
const claims = { iat: now, jti: randomUUID(), exp: now + HOUR_S, ...grant } satisfies TokenClaims;

/** Each makes a token of the same claims by the same secret. What can be made ready for many tokens is ready. */
const signers = {
  "@media-ops/tokens": ours(),
  "livekit-server-sdk toJwt()": livekit(),
  "jose SignJWT": await jose(),
  "jsonwebtoken sign": async () => jsonwebtoken.sign(claims, secret, { algorithm: "HS256", keyid: header.kid }),
  "raw node:crypto HMAC": raw(),
};

type Signer = keyof typeof signers;

/** How many tokens a second are signed in one process, one after another. */
export async function benchSignings(): Promise<Result[]> {
  await assertVerified();
  const raced = await race(signers, { rounds: 15, calls: 2000, warmUp: 2000 });
  const rates = (name: Signer): number[] => (raced[name] satisfies Measured).rounds.map((us) => 1_000_000 / us);
  const against = (name: Signer, note: string, goal?: Goal): Result =>
    compare(
      { name: "mint", measure: "signings a second", against: name, goal, note },
      rates("@media-ops/tokens"),
      rates(name),
    );
  return [
    against("livekit-server-sdk toJwt()", "of an AccessToken that stands ready", ratioAtLeast(GOAL)),
    against("jsonwebtoken sign", "with a key object"),
    against("jose SignJWT", "which signs through WebCrypto, one after another"),
    against("raw node:crypto HMAC", "of the same header and payload, which are not checked"),
  ];
}

function ours(): () => Promise<string> {
  const key = apiKeyToTokenKey(apiKey);
  return () => signToken(claims, key);
}

/** It has claims of its own: those that come closest. */
function livekit(): () => Promise<string> {
  const token = new AccessToken(header.kid, apiKey, { identity: claims.jti, ttl: HOUR_S });
  token.addGrant({ roomJoin: true, room: grant.channel_id, canPublish: true, canSubscribe: true });
  return () => token.toJwt();
}

async function jose(): Promise<() => Promise<string>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", Buffer.from(apiKey), algorithm, false, ["sign"]);
  return () => new SignJWT(claims).setProtectedHeader(header).sign(key);
}

function raw(): () => Promise<string> {
  const encodedHeader = Buffer.from(JSON.stringify(header)).toString("base64url");
  return async () => {
    const input = `${encodedHeader}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
}

async function assertVerified(): Promise<void> {
  for (const [name, sign] of Object.entries(signers)) {
    const { payload, protectedHeader } = await jwtVerify(await sign(), Buffer.from(apiKey));
    if (name === "livekit-server-sdk toJwt()") {
      assert.equal(payload.sub, claims.jti);
      assert.deepEqual(payload.video, { roomJoin: true, room: grant.channel_id, canPublish: true, canSubscribe: true });
      assert(Math.abs((payload.exp ?? 0) - now - HOUR_S) < 60);
    } else {
      assert.deepEqual(payload, claims, name);
      assert.deepEqual(protectedHeader, header, name);
    }
  }
}
