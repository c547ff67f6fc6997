import assert from "node:assert/strict";
import { Load } from "../load/load.js";
import { type Raced, type Racer, raceServers } from "../load/race-servers.js";
import { compare, type Goal, type Result, ratioAtLeast } from "../report.js";
import { show } from "../service/feeder.js";
import { toListing } from "../service/listing-request.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { startBareAnswer } from "../service/start-bare-answer.js";
import { AskedAfterCommits, again } from "./asked.js";
import { answerOf, type Contestants, checkBoth, type Lister, path, startBoth } from "./contestants.js";

const CONNECTIONS = 16;
const ROUNDS = 12;
const ROUND_MS = 300;

/** In which state of the log it is listed, and what it should come to. */
interface Situation {
  readonly name: string;
  readonly gzip: boolean;
  /** Whether an entry is committed before each request. */
  readonly changes: boolean;
  readonly goals: { readonly floor: Goal; readonly peer?: Goal };
  readonly note: string;
  readonly inTheWay?: string;
}

const WORK =
  "the service also checks the key, counts the call, looks whether the log has changed, and logs the call: many small things, as its profile shows, of which none has more than a twentieth of the time";

const situations: readonly Situation[] = [
  {
    name: "log unchanged, plain",
    gzip: false,
    changes: false,
    goals: { floor: ratioAtLeast(0.85) },
    note: "the bare server answers whatever is asked",
    inTheWay: WORK,
  },
  {
    name: "log unchanged, gzip",
    gzip: true,
    changes: false,
    goals: { floor: ratioAtLeast(0.85) },
    note: "the bare server sends ready-made gzip bytes, whatever is asked",
    inTheWay: `${WORK}; together they weigh as much as all that a bare server does for so few bytes`,
  },
  {
    name: "an entry committed before each request, plain",
    gzip: false,
    changes: true,
    goals: { floor: ratioAtLeast(0.4), peer: ratioAtLeast(3) },
    note: "the bare server sends the same bytes all the time",
  },
];

/** How fast a log of 1000 entries is listed, against a bare server and against what one would write by hand. */
export async function benchList(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const contestants = await startBoth(sandbox);
    const results: Result[] = [];
    for (const situation of situations) results.push(...(await measure(sandbox, contestants, situation)));
    for (const { writer } of [contestants.service, contestants.peer]) writer.close();
    await contestants.service.process.stop();
    return results;
  });
}

async function measure(sandbox: Sandbox, contestants: Contestants, situation: Situation): Promise<Result[]> {
  await checkBoth(contestants);
  const { apiKey, service, peer } = contestants;
  const encoding = situation.gzip ? "gzip" : "identity";
  const answer = await answerOf(service.url, apiKey, encoding);
  const floor = await startBareAnswer(sandbox, answer);
  const request = toListing(path, apiKey, situation.gzip ? ["Accept-Encoding: gzip"] : []);
  const racers = {
    floor: await unchanged(floor.url, request, answer.body.length),
    ours: await racerOf(service, request, situation, encoding, apiKey),
    peer: await racerOf(peer, request, situation, encoding, apiKey),
  };
  const raced = await raceServers(racers, { rounds: ROUNDS });
  for (const { load } of Object.values(racers)) load.close();
  await checkBoth(contestants);
  show(`list, ${situation.name}: done`);
  return tellOf(situation, raced);
}

async function racerOf(
  { url, log }: Lister,
  request: Buffer,
  { changes }: Situation,
  encoding: string,
  apiKey: string,
): Promise<Racer> {
  if (!changes) return unchanged(url, request, (await answerOf(url, apiKey, encoding)).body.length);
  const asked = new AskedAfterCommits(log, request, ROUND_MS);
  return { load: await Load.open([url], CONNECTIONS), lines: () => asked.lines(), look: asked.look };
}

async function unchanged(url: string, request: Buffer, length: number): Promise<Racer> {
  return {
    load: await Load.open([url], CONNECTIONS),
    lines: () => again(request, ROUND_MS),
    check: ({ bytes, count }) => assert.equal(bytes, count * length, "each listing is as long as it was before"),
  };
}

function tellOf(
  { name, goals, note, inTheWay }: Situation,
  { floor, ours, peer }: Record<"floor" | "ours" | "peer", Raced>,
) {
  const bare = "bare node:http server, same bytes";
  const told = (measure: string, against: string, goal?: Goal) => ({
    name: "list",
    measure: `${name}: ${measure}`,
    against,
    goal,
    note,
    inTheWay,
  });
  return [
    compare(told("requests a second", bare, goals.floor), ours.perSecond, floor.perSecond),
    compare(
      told("requests a second", "Express, better-sqlite3 and JSON.stringify", goals.peer),
      ours.perSecond,
      peer.perSecond,
    ),
    compare(told("p50, ms", bare), ours.p50, floor.p50),
    compare(told("p99, ms", bare), ours.p99, floor.p99),
  ];
}
