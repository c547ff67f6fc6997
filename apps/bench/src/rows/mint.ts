import assert from "node:assert/strict";
import { createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { jwtVerify } from "jose";
import { AccessToken } from "livekit-server-sdk";
import { HOUR_MS, tokenPath } from "../entries.js";
import { type KeyedServer, post, type Racer, race, toPost } from "../load.js";
import { compare, figures, goal, type Result, type Row, type RowOptions, takeTurns, timed } from "../measure.js";
import { type Build, importFrom, startFloor, startServices, withSandbox } from "../programs.js";
import { LogFile } from "../stores.js";

const PROJECT = "bench";
const FLOOR = "bare node:http that signs with jose";
const LIVEKIT = "livekit-server-sdk toJwt()";

/** Measures how fast access tokens are created, over HTTP and by the package in one process. */
export const mint: Row = async (options) => [...(await mintOverHttp(options)), ...(await sign(options))];

/** Measures requests per second, compared with a bare server that signs the same claims with jose. */
function mintOverHttp({ builds, isQuick }: RowOptions): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const [rounds, requests, sample] = isQuick ? [1, 200, 5] : [10, 5000, 100];
    const services = await startServices(sandbox, builds, PROJECT);
    const key = services[0]?.key ?? "";
    const floor = { ...(await startFloor(sandbox, "sign", { apiKey: key })), name: FLOOR, key };
    const racers: Racer[] = [];
    for (const server of [...services, floor]) racers.push(await racerOf(server, requests, sample));
    const options = { measure: "create-access-token", connections: 16, rounds, goal: goal("ratio", "≥", 0.7) };
    const results = await race(options, racers);
    const minted = sample + (rounds + 1) * requests;
    for (const { name, file } of services) await untilLogged(file, minted, name);
    return results;
  });
}

async function racerOf(minter: KeyedServer, requests: number, sample: number): Promise<Racer> {
  const length = await checkSample(minter, sample);
  return {
    ...minter,
    lines: () =>
      Array.from({ length: requests }, (_, at) => [toPost(tokenPath, minter.key, JSON.stringify(claimsOf(at)))]),
    check: ({ count, bytes }) => assert.equal(bytes, count * length, "every answer is as long as that with a token"),
  };
}

/** The requested claims: access to one of a thousand rooms, for an hour. */
const claimsOf = (at: number) => ({
  channel_id: `room-${String(at % 1000).padStart(3, "0")}@${PROJECT}`,
  role: "sendrecv",
  max_channel_connections: 50,
  expiration_time: new Date(Date.now() + HOUR_MS).toISOString(),
});

/** Verifies a sample of tokens with jose, and returns the length of an answer. */
async function checkSample(minter: KeyedServer, sample: number): Promise<number> {
  const ids = new Set<unknown>();
  let length = 0;
  for (let at = 0; at < sample; at++) {
    const { expiration_time, ...granted } = claimsOf(at);
    const { body } = await post(minter, tokenPath, JSON.stringify({ ...granted, expiration_time }));
    length = body.length;
    const { payload } = await jwtVerify(JSON.parse(body.toString()).access_token, Buffer.from(minter.key));
    const { iat, exp, jti, ...claims } = payload;
    assert.deepEqual(claims, granted);
    assert.equal(exp, Math.floor(Date.parse(expiration_time) / 1000));
    ids.add(jti);
  }
  assert.equal(ids.size, sample, "every token has an id of its own");
  return length;
}

/** Waits until every minted token has an entry in the API log, which is written asynchronously. */
async function untilLogged(file: string, minted: number, name: string): Promise<void> {
  const log = new LogFile(file);
  for (const deadline = Date.now() + 5000; log.count("api") < minted && Date.now() < deadline; ) await setTimeout(20);
  assert.equal(log.count("api"), minted, `${name}: every token has an entry in the API log`);
  log.close();
}

const keyId = "bench";
const apiKey = `mo_${keyId}_${randomBytes(32).toString("base64url")}`;
const secret = createSecretKey(Buffer.from(apiKey));
const iat = Math.floor(Date.now() / 1000);
const grant = { channel_id: "lobby@bench", role: "sendrecv", max_channel_connections: 50 } as const;
const claims = { iat, jti: randomUUID(), exp: iat + 3600, ...grant };

/** Measures tokens signed per second in one process, sequentially, each with the same claims and secret. */
async function sign({ builds, isQuick }: RowOptions): Promise<Result[]> {
  const [rounds, calls] = isQuick ? [1, 20] : [15, 2000];
  const signers = await Promise.all(builds.map(async (build) => ({ name: build.name, sign: await signerOf(build) })));
  for (const { name, sign } of signers) {
    const { payload, protectedHeader } = await jwtVerify(await sign(), secret);
    assert.deepEqual([payload, protectedHeader], [claims, { alg: "HS256", typ: "JWT", kid: keyId }], name);
  }
  const livekit = livekitSigner();
  assert.equal((await jwtVerify(await livekit(), secret)).payload.sub, claims.jti);
  const contestants = [...signers, { name: LIVEKIT, sign: livekit }].map(({ name, sign }) => {
    return { name, turn: timed(sign, calls) };
  });
  const rates = figures(await takeTurns(contestants, rounds, 1), (us) => 1_000_000 / us);
  return compare({ measure: "signings a second", goal: goal("ratio", "≥", 2) }, rates);
}

/** Loads `@media-ops/tokens` of a build. */
async function signerOf(build: Build): Promise<() => Promise<string>> {
  const tokens: typeof import("@media-ops/tokens") = await importFrom(build, "tokens");
  const key = tokens.apiKeyToTokenKey(apiKey);
  return () => tokens.signToken(claims, key);
}

/** LiveKit has its own set of claims. These are the closest equivalent. */
function livekitSigner(): () => Promise<string> {
  const token = new AccessToken(keyId, apiKey, { identity: claims.jti, ttl: 3600 });
  token.addGrant({ roomJoin: true, room: grant.channel_id, canPublish: true, canSubscribe: true });
  return () => token.toJwt();
}
