import assert from "node:assert/strict";
import { isUuid } from "@media-ops/tokens";
import { jwtVerify } from "jose";
import { sqliteIn } from "../databases/database.js";
import { kindNumbers, open } from "../databases/open.js";
import { Load, type Rate } from "../load/load.js";
import { toPost } from "../load/post.js";
import { type Racer, raceServers } from "../load/race-servers.js";
import { compare, type Result, ratioAtLeast } from "../report.js";
import { tokenPath } from "../service/entries.js";
import { withSandbox } from "../service/sandbox.js";
import { createProject, startServiceProcess } from "../service/service-process.js";
import { startBareServer } from "../service/start-bare.js";
import { headerOf } from "./header.js";

const PROJECT = "bench";
const CONNECTIONS = 16;
const ROUNDS = 10;
const REQUESTS = 5000;
const SAMPLE = 100;
const GOAL = 0.7;
const HOUR_MS = 3_600_000;

/** What is asked for: a client's way into one of a thousand rooms, for an hour. */
function wanted(at: number) {
  return {
    channel_id: `room-${String(at % 1000).padStart(3, "0")}@${PROJECT}`,
    role: "sendrecv",
    max_channel_connections: 50,
    expiration_time: new Date(Date.now() + HOUR_MS).toISOString(),
  };
}

/** How many tokens a second are minted over HTTP, against a bare server that signs the same claims with jose. */
export async function benchRequests(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const { url } = sqliteIn(sandbox, "mint");
    const apiKey = await createProject(url, PROJECT);
    const service = await startServiceProcess(sandbox, url);
    const bare = await startBareServer(sandbox, new URL("bare-mint.js", import.meta.url), apiKey);
    const ours = new Minted(service.url, apiKey);
    const theirs = new Minted(bare.url, apiKey);
    const raced = await raceServers({ bare: await theirs.racer(), ours: await ours.racer() }, { rounds: ROUNDS });
    for (const { load } of [ours, theirs]) load?.close();
    await bare.stop();
    await service.stop();
    await assertLogged(url, ours.count);

    const common = { name: "mint", against: "bare node:http that signs the same claims with jose" };
    const rate = `create-access-token: requests a second, ${CONNECTIONS} connections`;
    const note = "each checked by the contract and written to the API log; the bare server does neither";
    return [
      compare({ ...common, measure: rate, goal: ratioAtLeast(GOAL), note }, raced.ours.perSecond, raced.bare.perSecond),
      compare({ ...common, measure: "create-access-token: p50, ms" }, raced.ours.p50, raced.bare.p50),
      compare({ ...common, measure: "create-access-token: p99, ms" }, raced.ours.p99, raced.bare.p99),
    ];
  });
}

/** A server that mints, and how often it has done so. */
class Minted {
  count = 0;
  load: Load | undefined;
  readonly #url: string;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  async racer(): Promise<Racer> {
    const length = await this.#assertGood();
    const load = await Load.open([this.#url], CONNECTIONS);
    this.load = load;
    return {
      load,
      lines: () => Array.from({ length: REQUESTS }, (_, at) => [this.#post(at)]),
      check: ({ count, bytes }: Rate) => {
        this.count += count;
        assert.equal(count, REQUESTS);
        assert.equal(bytes, count * length, "An answer has another length than that of a token.");
      },
    };
  }

  /** Verifies a sample of what it mints; gives how long its answers are. */
  async #assertGood(): Promise<number> {
    const ids = new Set<unknown>();
    let length = 0;
    for (let at = 0; at < SAMPLE; at++) {
      const request = wanted(at);
      const response = await fetch(this.#url + tokenPath, {
        method: "POST",
        headers: { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(request),
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "application/json; charset=UTF-8");
      assert.equal(response.headers.get("cache-control"), "no-store");
      assert.equal(response.headers.get("x-request-id")?.length, 36);
      const text = await response.text();
      length = text.length;
      ids.add(await this.#assertGranted(JSON.parse(text).access_token, request));
    }
    assert.equal(ids.size, SAMPLE);
    this.count += SAMPLE;
    return length;
  }

  /** Verifies that a token grants what was asked for; gives its id. */
  async #assertGranted(token: string, { expiration_time, ...granted }: ReturnType<typeof wanted>): Promise<string> {
    const { payload, protectedHeader } = await jwtVerify(token, Buffer.from(this.#apiKey));
    const { iat = 0, exp, jti = "", ...claims } = payload;
    assert.deepEqual(protectedHeader, headerOf(this.#apiKey));
    assert.deepEqual(claims, granted);
    assert.equal(exp, Math.floor(Date.parse(expiration_time) / 1000));
    assert(Math.abs(Date.now() / 1000 - iat) < 10, "A token was made at another time.");
    assert(isUuid(jti));
    return jti;
  }

  #post(at: number): Buffer {
    return toPost({ path: tokenPath, key: this.#apiKey, body: JSON.stringify(wanted(at)) });
  }
}

/** What was minted stands in the API log, each of them. */
async function assertLogged(url: string, count: number): Promise<void> {
  const database = await open(url);
  try {
    const { seq } = await database.query
      .selectFrom("log_head")
      .select("seq")
      .where("project_id", "=", PROJECT)
      .where("kind", "=", kindNumbers.api)
      .executeTakeFirstOrThrow();
    assert.equal(seq, count);
  } finally {
    await database.close();
  }
}
