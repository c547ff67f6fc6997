import assert from "node:assert/strict";
import { mapValues } from "../map-values.js";
import { takeTurns } from "../measure.js";
import { compare, type Result, ratioAtMost, type Telling } from "../report.js";
import { show } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { type Caller, startCaller } from "./caller.js";
import type { Calls } from "./calls.js";
import { type Client, type ClientName, ours } from "./clients.js";

const GOAL = ratioAtMost(1.05);
// The goal is so close to the floor that as few rounds as the peers take would not show whether it is met.
const ROUNDS_WITH_FLOOR = 24;
const ROUNDS = 7;
// What one call allocates hardly differs from what the next one does.
const ROUNDS_WEIGHED = 7;
const WARM_UP = 2;
const ABOVE_FLOOR = "the signal that every timeout needs, as the floor with a timeout shows, and openapi-fetch";
const apiKey = "mo_bench_notAKey";

const floor = "fetch and JSON.parse";
const inTime = "the same with a timeout";
const floors = {
  [floor]: new URL("bare-fetch.js", import.meta.url).href,
  [inTime]: new URL("bare-fetch-in-time.js", import.meta.url).href,
} as const;

type Name = ClientName | keyof typeof floors;
type Callers = Record<Name, Caller>;

interface Operation {
  readonly operation: keyof Calls;
  readonly name: string;
  readonly warmUp: number;
  /** Calls in a turn whose time is taken. */
  readonly timed: number;
  /** Calls in a turn whose memory is taken: so few that there is room for all they allocate. */
  readonly weighed: number;
}

const operations: readonly Operation[] = [
  { operation: "listing", name: "listing of 1000 entries", warmUp: 300, timed: 30, weighed: 10 },
  { operation: "mint", name: "mint", warmUp: 1500, timed: 150, weighed: 50 },
];

/** What a call costs over `fetch` and `JSON.parse` alone, and beside other clients. */
export async function raceCalls(
  sandbox: Sandbox,
  clients: Record<ClientName, Client>,
  baseUrl: string,
): Promise<Result[]> {
  const urls = { ...floors, ...mapValues(clients, ({ url }) => url) };
  const withCallers = async (flags: readonly string[], race: typeof raceTimes): Promise<Result[]> => {
    const callers = {} as Callers;
    for (const name of Object.keys(urls) as Name[]) {
      callers[name] = await startCaller(sandbox, urls[name], { baseUrl, apiKey, flags });
      assert.deepEqual(callers[name].answers, callers[floor].answers, `${name} has other answers than fetch alone.`);
    }
    const results: Result[] = [];
    for (const operation of operations) {
      show(`sdk: ${race === raceTimes ? "times" : "allocations"} of a ${operation.name}`);
      results.push(...(await race(operation, callers)));
    }
    await Promise.all(Object.values(callers).map((caller) => caller.stop()));
    return results;
  };
  return [
    ...(await withCallers([], raceTimes)),
    ...(await withCallers(["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"], weigh)),
  ];
}

async function raceTimes({ operation, name, warmUp, timed }: Operation, callers: Callers): Promise<Result[]> {
  for (const caller of Object.values(callers)) await caller.take({ operation, calls: warmUp });
  const turns = mapValues(callers, (caller) => async () => (await caller.take({ operation, calls: timed })).us);
  const { [floor]: bare, [inTime]: bareInTime, ...clients } = turns;
  const close = await takeTurns({ [floor]: bare, [ours]: clients[ours], [inTime]: bareInTime }, ROUNDS_WITH_FLOOR);
  const telling = { name: "sdk", measure: `${name}, µs` };
  return [...rows(telling, close), ...rows(telling, await takeTurns(clients, ROUNDS))];
}

/** What a call allocates. */
async function weigh({ operation, name, weighed }: Operation, callers: Callers): Promise<Result[]> {
  const turns = mapValues(callers, (caller) => async () => {
    const { bytes } = await caller.take({ operation, calls: weighed });
    assert(bytes !== undefined, "Garbage was collected while it was counted what a call allocates.");
    return bytes / 1000;
  });
  await takeTurns(turns, WARM_UP);
  return rows(
    { name: "sdk", measure: `${name}, kB allocated, garbage included` },
    await takeTurns(turns, ROUNDS_WEIGHED),
  );
}

/** Ours against each other one. */
function rows(telling: Omit<Telling, "against">, rounds: Partial<Record<Name, readonly number[]>>): Result[] {
  const { [ours]: own = [], ...others } = rounds;
  return Object.entries(others).map(([against, theirs]) =>
    compare({ ...telling, against, ...(against === floor && { goal: GOAL, inTheWay: ABOVE_FLOOR }) }, own, theirs),
  );
}
