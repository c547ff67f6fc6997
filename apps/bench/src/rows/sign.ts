import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import jsonwebtoken from "jsonwebtoken";
import { AccessToken } from "livekit-server-sdk";
import { type Build, importFrom } from "../harness/programs.js";
import { compare, type Row, ratioAtLeast } from "../harness/report.js";
import { figures, takeTurns, timed } from "../harness/turns.js";

const HOUR_S = 3600;
const LIVEKIT = "livekit-server-sdk toJwt()";
const keyId = "bench";
const apiKey = `mo_${keyId}_${randomBytes(32).toString("base64url")}`;
const header = { alg: "HS256", typ: "JWT", kid: keyId } as const;
const secret = createSecretKey(Buffer.from(apiKey));
const now = Math.floor(Date.now() / 1000);
const grant = { channel_id: "lobby@bench", role: "sendrecv", max_channel_connections: 50 } as const;
const claims = { iat: now, jti: randomUUID(), exp: now + HOUR_S, ...grant };

type Sign = () => string | Promise<string>;

/** Measures tokens signed per second in one process, sequentially, each with the same claims and secret. */
export const sign: Row = async ({ builds, isQuick }) => {
  const [rounds, calls] = isQuick ? [1, 20] : [15, 2000];
  const signers: Record<string, Sign> = {};
  for (const build of builds) signers[build.name] = await signerOf(build);
  signers[LIVEKIT] = livekitSigner();
  signers["jsonwebtoken sign"] = () => jsonwebtoken.sign(claims, secret, { algorithm: "HS256", keyid: keyId });
  signers["jose SignJWT"] = await joseSigner();
  signers["raw node:crypto HMAC"] = rawSigner();
  for (const [name, make] of Object.entries(signers)) await check(name, await make());

  const contestants = Object.entries(signers).map(([name, make]) => ({ name, turn: timed(make, calls) }));
  const rates = figures(await takeTurns(contestants, rounds, 1), (us) => 1_000_000 / us);
  return compare({ row: "mint", measure: "signings a second", goals: { [LIVEKIT]: ratioAtLeast(2) } }, rates);
};

/** Loads `@media-ops/tokens` of a build. */
async function signerOf(build: Build): Promise<Sign> {
  const tokens: typeof import("@media-ops/tokens") = await importFrom(build, "tokens", "index.js");
  const key = tokens.apiKeyToTokenKey(apiKey);
  return () => tokens.signToken(claims, key);
}

/** LiveKit has its own set of claims. These are the closest equivalent. */
function livekitSigner(): Sign {
  const token = new AccessToken(keyId, apiKey, { identity: claims.jti, ttl: HOUR_S });
  token.addGrant({ roomJoin: true, room: grant.channel_id, canPublish: true, canSubscribe: true });
  return () => token.toJwt();
}

async function joseSigner(): Promise<Sign> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", Buffer.from(apiKey), algorithm, false, ["sign"]);
  return () => new SignJWT(claims).setProtectedHeader(header).sign(key);
}

/** Signs without checking the claims. */
function rawSigner(): Sign {
  const encoded = Buffer.from(JSON.stringify(header)).toString("base64url");
  return () => {
    const input = `${encoded}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
}

async function check(name: string, token: string): Promise<void> {
  const { payload, protectedHeader } = await jwtVerify(token, Buffer.from(apiKey));
  if (name === LIVEKIT) assert.equal(payload.sub, claims.jti);
  else assert.deepEqual([payload, protectedHeader], [claims, header], name);
}
