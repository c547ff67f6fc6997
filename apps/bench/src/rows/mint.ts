import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { jwtVerify } from "jose";
import { HOUR_MS, tokenPath } from "../harness/entries.js";
import { post } from "../harness/http.js";
import { toPost } from "../harness/load.js";
import { LogFile } from "../harness/log-file.js";
import { startServices } from "../harness/programs.js";
import { type KeyedServer, type Racer, race } from "../harness/race.js";
import { type Result, type Row, type RowOptions, ratioAtLeast } from "../harness/report.js";
import { startFloor, withSandbox } from "../harness/sandbox.js";
import { sign } from "./sign.js";

const PROJECT = "bench";
const SAMPLE = 100;
const FLOOR = "bare node:http that signs with jose";

/** Measures how fast access tokens are created, over HTTP and by the package in one process. */
export const mint: Row = async (options) => [...(await mintOverHttp(options)), ...(await sign(options))];

/** Measures requests per second, compared with a bare server that signs the same claims with jose. */
function mintOverHttp({ builds, isQuick }: RowOptions): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const [rounds, requests] = isQuick ? [1, 200] : [10, 5000];
    const services = await startServices(sandbox, builds, PROJECT);
    const key = services[0]?.key ?? "";
    const floor = { ...(await startFloor(sandbox, "sign", { apiKey: key })), name: FLOOR, key };
    const racers: Racer[] = [];
    for (const server of [...services, floor]) racers.push(await racerOf(server, requests));
    const options = { row: "mint", name: "create-access-token", goals: { [FLOOR]: ratioAtLeast(0.7) } };
    const results = await race({ ...options, connections: 16, rounds }, racers);
    const minted = SAMPLE + (rounds + 1) * requests;
    for (const { name, file } of services) await untilLogged(file, minted, name);
    return results;
  });
}

async function racerOf(minter: KeyedServer, requests: number): Promise<Racer> {
  const length = await checkSample(minter);
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
async function checkSample(minter: KeyedServer): Promise<number> {
  const ids = new Set<unknown>();
  let length = 0;
  for (let at = 0; at < SAMPLE; at++) {
    const { expiration_time, ...granted } = claimsOf(at);
    const { body } = await post(minter, tokenPath, JSON.stringify({ ...granted, expiration_time }));
    length = body.length;
    const { payload } = await jwtVerify(JSON.parse(body.toString()).access_token, Buffer.from(minter.key));
    const { iat, exp, jti, ...claims } = payload;
    assert.deepEqual(claims, granted);
    assert.equal(exp, Math.floor(Date.parse(expiration_time) / 1000));
    ids.add(jti);
  }
  assert.equal(ids.size, SAMPLE, "every token has an id of its own");
  return length;
}

/** Waits until every minted token has an entry in the API log, which is written asynchronously. */
async function untilLogged(file: string, minted: number, name: string): Promise<void> {
  const log = new LogFile(file);
  for (const deadline = Date.now() + 5000; log.count("api") < minted && Date.now() < deadline; ) await setTimeout(20);
  assert.equal(log.count("api"), minted, `${name}: every token has an entry in the API log`);
  log.close();
}
