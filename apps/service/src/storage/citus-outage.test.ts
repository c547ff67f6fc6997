import { setTimeout } from "node:timers/promises";
import { runTraffic } from "@media-ops/fake-media";
import { expect, it } from "vitest";
import { countsOf, startChaos } from "../test/chaos.js";
import { callWithin, pathOf } from "../test/harness.js";
import { type OwnCitus, startOwnCitus } from "../test/own-citus.js";

// vitest.nightly.config.ts runs this test only if there is a Citus. A manual run may take an hour.
const { TEST_CITUS_PROGRAMS = "", CITUS_MINUTES } = process.env;
const RUN_MS = Number(CITUS_MINUTES ?? 3) * 60_000;
const DOWN_MS = Math.min(30_000, RUN_MS / 12);
const projects = Array.from({ length: 50 }, (_, nth) => `project-${nth}`);
// Their seats are in several shards.
const doors = ["doors-0", "doors-1", "doors-2"];
const ASK_EVERY_MS = 500;

it(
  "two services on Citus lose nothing, store nothing twice and never admit too many, though workers are killed and shards move",
  async () => {
    const citus = await startOwnCitus(TEST_CITUS_PROGRAMS, 2);
    const chaos = await startChaos({ url: citus.url, projects, doors, roundEveryMs: 1000, sockets: 512 });
    const { services, apiKeys, signal } = chaos;
    const often = { staysMs: 2000, updateEveryMs: 1500, rate: 4, channels: 200 };
    const traffic = runTraffic(chaos.media, { ...often, for: 2 * RUN_MS, projects, signal });
    const answers: string[] = [];
    const asking = askAgainAndAgain(async (nth) => {
      const key = apiKeys.get(projects[nth % projects.length] ?? "");
      const { status, headers } = await callWithin(services[nth % 2]?.url ?? "", pathOf.listSessionLogs, { key });
      const isBare = status === 503 && !(Number(headers.get("retry-after")) > 0);
      answers.push(isBare ? "503 without Retry-After" : `${status}`);
    }, signal);
    const since = Date.now();
    await doHarm(citus);
    await setTimeout(Math.max(0, since + RUN_MS - Date.now()));
    const { events, tries, kept, made, arrivals, rounds, statuses } = await chaos.end([traffic, asking]);
    const figures = { statuses, listings: countsOf(answers), rounds, arrivals };
    if (CITUS_MINUTES !== undefined) process.stderr.write(`${JSON.stringify(figures)}\n`);

    expect.soft(Object.keys(statuses).sort()).toEqual(["200", "503"]);
    expect.soft(Object.keys(countsOf(answers)).filter((answer) => answer !== "200" && answer !== "503")).toEqual([]);
    expect.soft(services.flatMap((service) => service.ended)).toEqual([]);
    // A process whose lease has lapsed meanwhile may have sent an event that another one sends, too: both are logged.
    expect.soft(tries).toHaveLength(arrivals);
    expect.soft(tries.length).toBeGreaterThanOrEqual(made);

    // Without these, the test would prove nothing.
    for (const number of [events.length, ...kept]) expect(number).toBeGreaterThan(RUN_MS / 1000);
    expect(rounds).toBeGreaterThan(doors.length);
  },
  3 * RUN_MS + 300_000,
);

/** Kills each of two workers for a while, and moves a third of the shards to a new one. */
async function doHarm(citus: OwnCitus): Promise<void> {
  for (const worker of [...citus.workers]) {
    await setTimeout(RUN_MS / 6);
    await worker.kill();
    await setTimeout(DOWN_MS);
    await worker.start();
  }
  await setTimeout(RUN_MS / 6);
  await citus.addWorker();
  await citus.rebalance();
}

async function askAgainAndAgain(ask: (nth: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let nth = 0; !signal.aborted; nth++) {
    await ask(nth);
    await setTimeout(ASK_EVERY_MS);
  }
}
