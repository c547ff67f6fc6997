import { setTimeout } from "node:timers/promises";
import { runTraffic } from "@media-ops/fake-media";
import { expect, it } from "vitest";
import { startChaos } from "../test/chaos.js";
import { type OwnPostgres, startOwnPostgres } from "../test/own-postgres.js";
import type { Supervised } from "../test/supervised.js";

// A manual run may take much longer.
const { CHAOS_STEPS } = process.env;
const STEPS = Number(CHAOS_STEPS ?? 4);
const STEP_MS = 2500;
const projects = ["alpha", "beta", "gamma"];
const doors = ["doors"];

it(
  "two services on one PostgreSQL lose nothing, store nothing twice and never admit too many, even if any of the three is killed",
  async () => {
    const postgres = await startOwnPostgres();
    const chaos = await startChaos({ url: postgres.url, projects, doors, roundEveryMs: 250, sockets: 256 });
    const { services, receiver, signal } = chaos;
    const endless = { for: 3_600_000, staysMs: 500, updateEveryMs: 300, signal };
    const traffic = [
      runTraffic(chaos.media, { ...endless, rate: 8, channels: 40, projects }),
      runTraffic(chaos.atDoors, { ...endless, rate: 6, channels: 2, projects: doors }),
    ];
    const kills = await doHarm(postgres, services);
    const { events, deliveries, tries, made, arrivals, rounds, statuses } = await chaos.end(traffic);

    // A service exits by itself only if it starts while PostgreSQL is unavailable.
    const ended = services.flatMap((service) => service.ended);
    expect(ended.filter(({ said }) => !/cannot be used now|could not be opened/.test(said))).toEqual([]);

    // A try and its outcome are logged together, or not at all if a service was killed in between.
    expect(tries).toHaveLength(made);
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(deliveries.length);
    expect(arrivals).toBeGreaterThanOrEqual(tries.filter(({ status }) => status !== 0).length);
    for (const { event_id, tries: made } of deliveries) {
      const times = receiver.sent.get(event_id) ?? [];
      const [first = 0, last = 0] = [times[0], times.at(-1)];
      // Webhooks have the second in which they were sent.
      const killed = kills.filter((at) => at > first - STEP_MS && at < last + STEP_MS);
      expect(times.length - made, JSON.stringify({ event_id, times, kills })).toBeLessThanOrEqual(killed.length);
    }

    // Without these, the test would prove nothing.
    const figures = { kills: kills.length, rounds, events: events.length, tries: tries.length, arrivals, statuses };
    if (CHAOS_STEPS !== undefined) process.stderr.write(`${JSON.stringify(figures)}\n`);
    expect((statuses.undefined ?? 0) + (statuses["503"] ?? 0)).toBeGreaterThan(STEPS);
    expect(events.length).toBeGreaterThan(50 * STEPS);
    expect(rounds).toBeGreaterThan(1);
  },
  STEPS * 20_000 + 120_000,
);

/**
 * Kills a service every few seconds. In between, it stops or kills PostgreSQL for a while, together with a service.
 * Returns the times at which services were killed, in ms since 1970.
 */
async function doHarm(postgres: OwnPostgres, services: readonly Supervised[]): Promise<number[]> {
  const kills: number[] = [];
  const kill = async (step: number): Promise<void> => {
    kills.push(Date.now());
    await services[step % services.length]?.kill();
  };
  const bothReady = () => Promise.all(services.map((service) => service.ready()));
  for (let step = 1; step <= STEPS; step++) {
    // One service is running at any time, however slow the machine is.
    await Promise.all([setTimeout(STEP_MS), bothReady()]);
    if (step % 3 === 0) {
      await (step % 2 === 1 ? postgres.stop() : postgres.kill());
      await setTimeout(STEP_MS / 4);
      await kill(step);
      await setTimeout(STEP_MS / 4);
      await postgres.start();
    } else await kill(step);
  }
  await bothReady();
  return kills;
}
