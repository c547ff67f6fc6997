import assert from "node:assert/strict";
import { sqliteIn } from "../databases/database.js";
import { raceServers } from "../load/race-servers.js";
import { compare, type Result, ratioAtLeast } from "../report.js";
import { withSandbox } from "../service/sandbox.js";
import {
  createIntakeKey,
  createProject,
  type ServiceProcess,
  startServiceProcess,
} from "../service/service-process.js";
import { startBareServer } from "../service/start-bare.js";
import { Clients } from "./clients.js";
import { type Crowd, channelId, Door, projectId } from "./door.js";

const CONNECTIONS = 256;
const ROUNDS = 6;
// Clients that want in, in each round.
const COUNT = 4000;
const GOAL = 0.5;
// More than a round lets in.
const LIMIT = 5000;

const crowds: readonly (Crowd & { readonly name: string })[] = [1, 100].flatMap((channels) => {
  const where = channels === 1 ? "1 channel" : `${channels} channels`;
  return [
    { name: `${where}, tokens without a limit`, count: COUNT, channels, claims: {} },
    { name: `${where}, tokens with a limit`, count: COUNT, channels, claims: { max_channel_connections: LIMIT } },
  ];
});

/** How many clients a second are let in, against a bare server that only verifies their tokens. */
export async function benchAdmit(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const { url } = sqliteIn(sandbox, "admit");
    const apiKey = await createProject(url, projectId);
    const clients = new Clients(apiKey, await createIntakeKey(url));
    const service = await startServiceProcess(sandbox, url);
    const bareServer = await startBareServer(sandbox, new URL("bare-admit.js", import.meta.url), apiKey);
    const ours = await Door.open(service.insideUrl, clients, CONNECTIONS);
    const bare = await Door.open(bareServer.url, clients, CONNECTIONS);
    for (const door of [ours, bare]) await assertVerifies(door);
    await assertCounts(ours);

    const results: Result[] = [];
    for (const crowd of crowds) results.push(await measure(crowd, ours, bare));
    assert.equal(await admittedBy(service), ours.admitted);
    for (const door of [ours, bare]) door.close();
    await bareServer.stop();
    await service.stop();
    return results;
  });
}

async function measure(crowd: Crowd & { readonly name: string }, ours: Door, bare: Door): Promise<Result> {
  const raced = await raceServers(
    { bare: bare.racer(crowd), ours: ours.racer(crowd, (nodeName) => ours.free(nodeName)) },
    { rounds: ROUNDS },
  );
  return compare(
    {
      name: "admit",
      measure: `${crowd.name}: admissions a second, ${CONNECTIONS} connections`,
      against: "bare node:http that verifies the token with jose",
      goal: ratioAtLeast(GOAL),
      note: `each has a place, counted and safe on disk, before the answer: at most ${CONNECTIONS} share the wait for a commit, and the bare server waits for none; ${COUNT} places in a round`,
    },
    raced.ours.perSecond,
    raced.bare.perSecond,
  );
}

/** A token is good as long as it is, and nobody is let in by another. */
async function assertVerifies(door: Door): Promise<void> {
  const wish = { channelId: channelId(0), nodeName: door.newNode() };
  assert.equal(await door.admits({ ...wish, claims: {} }), true);
  assert.equal(await door.admits({ ...wish, claims: { exp: Math.floor(Date.now() / 1000) - 1 } }), false);
}

/** No more are let in than a token says, until there are places again. */
async function assertCounts(door: Door): Promise<void> {
  const nodeName = door.newNode();
  const wish = { channelId: channelId(1), nodeName, claims: { max_channel_connections: 2 } };
  const [first, second, third] = [await door.admits(wish), await door.admits(wish), await door.admits(wish)];
  assert.deepEqual([first, second, third], [true, true, false]);
  await door.free(nodeName);
  assert.equal(await door.admits({ ...wish, nodeName: door.newNode() }), true);
}

/** How many the service itself says it has let in. */
async function admittedBy({ insideUrl }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${insideUrl}/metrics`)).text();
  return Number(/^media_admissions_total\{outcome="allowed"\} (\d+)$/m.exec(text)?.[1]);
}
