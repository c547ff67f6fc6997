import { setTimeout } from "node:timers/promises";
import { runTraffic } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it } from "vitest";
import { startBalancer } from "../test/balancer.js";
import {
  acknowledgedBy,
  countsOf,
  crowdsIn,
  entriesIn,
  hurry,
  letInByRounds,
  PLACES,
  startBadMedia,
} from "../test/chaos.js";
import { callWithin, pathOf } from "../test/harness.js";
import { type OwnPostgres, startOwnPostgres } from "../test/own-postgres.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { startFailingReceiver } from "../test/receiver.js";
import { type Supervised, supervise } from "../test/supervised.js";
import { openStorage } from "./open-storage.js";

// A manual run may take much longer.
const { CHAOS_STEPS } = process.env;
const STEPS = Number(CHAOS_STEPS ?? 4);
const STEP_MS = 2500;
const PROJECTS = ["alpha", "beta", "gamma"];
const DOORS = "doors";

it(
  "two services on one PostgreSQL lose nothing, store nothing twice and never admit too many, even if any of the three is killed",
  async () => {
    const postgres = await startOwnPostgres();
    const env = sharedEnv(postgres.url);
    const receiver = await startFailingReceiver();
    const { intakeKey, apiKeys } = await prepareProjects(env, [...PROJECTS, DOORS], receiver.url);
    const services = await Promise.all([supervise(env), supervise(env)]);
    await Promise.all(services.map((service) => service.ready()));
    const balancer = await startBalancer(services.map(({ internalUrl }) => internalUrl));
    const target = { intakeUrl: `${balancer.url}/intake`, intakeKey };
    const token = await signToken({ max_channel_connections: PLACES }, apiKeyToTokenKey(apiKeys.get(DOORS) ?? ""));
    const media = await startBadMedia({ ...target, seed: 7, nodeName: "node-1" });
    const doors = await startBadMedia({
      ...target,
      seed: 8,
      nodeName: "node-2",
      accessToken: () => token,
      reportsConnections: false,
    });

    const end = new AbortController();
    const { signal } = end;
    const endless = { for: 3_600_000, staysMs: 500, updateEveryMs: 300, signal };
    const traffic = [
      runTraffic(media, { ...endless, rate: 8, channels: 40, projects: PROJECTS }),
      runTraffic(doors, { ...endless, rate: 6, channels: 2, projects: [DOORS] }),
    ];
    const rounds = letInByRounds(doors, DOORS, signal);
    const kills = await doHarm(postgres, services);
    end.abort();
    await Promise.all(traffic);
    const letIn = await rounds;
    for (const one of [media, doors]) await one.close();

    // Includes deliveries that the killed services had begun, once their leases expire.
    const storage = await openStorage(postgres.url);
    const { query } = storage;
    await expect.poll(() => hurry(query), { timeout: 60_000, interval: 500 }).toBe(0);

    expect(services.flatMap((service) => service.faults)).toEqual([]);
    // Each answer was a success, a refusal with a time to retry, or lost with its connection.
    const odd = balancer.passed.filter(({ status }) => status !== 200 && status !== undefined);
    expect(odd.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([]);
    // A service exits by itself only if it starts while PostgreSQL is unavailable.
    const ended = services.flatMap((service) => service.ended);
    expect(ended.filter(({ said }) => !/cannot be used now|could not be opened/.test(said))).toEqual([]);

    for (const [kind, type, idName] of [
      ["connections", "connection.destroyed", "connection_id"],
      ["sessions", "session.destroyed", "session_id"],
    ] as const) {
      const kept = (await entriesIn(query, kind)).map((entry) => String(entry[idName]));
      const acknowledged = acknowledgedBy([media, doors], ({ body }) => body.type === type, idName);
      expect(kept.sort(), kind).toEqual(acknowledged);
    }

    const events = acknowledgedBy([media, doors], ({ to }) => to === "event", "id");
    const deliveries = await query.selectFrom("delivery").select(["event_id", "tries"]).execute();
    expect(deliveries.map(({ event_id }) => event_id).sort()).toEqual(events);
    expect([...receiver.sent.keys()].sort()).toEqual(events);
    // A try and its outcome are logged together, or not at all if a service was killed in between.
    const tries = await entriesIn(query, "webhooks");
    expect(tries).toHaveLength(deliveries.reduce((sum, { tries: made }) => sum + made, 0));
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(deliveries.length);
    const arrivals = [...receiver.sent.values()].flat().length;
    expect(arrivals).toBeGreaterThanOrEqual(tries.filter(({ status }) => status !== 0).length);
    for (const { event_id, tries: made } of deliveries) {
      const times = receiver.sent.get(event_id) ?? [];
      const [first = 0, last = 0] = [times[0], times.at(-1)];
      // Webhooks have the second in which they were sent.
      const killed = kills.filter((at) => at > first - STEP_MS && at < last + STEP_MS);
      expect(times.length - made, JSON.stringify({ event_id, times, kills })).toBeLessThanOrEqual(killed.length);
    }

    expect(letIn).toEqual(letIn.map(() => PLACES));
    expect(Math.max(...crowdsIn(doors))).toBe(PLACES);
    expect(await query.selectFrom("seat").selectAll().execute()).toEqual([]);

    // Both services show the same logs.
    for (const [projectId, key] of apiKeys) {
      for (const path of [pathOf.listConnectionLogs, pathOf.listSessionLogs, pathOf.listWebhookLogs]) {
        const [one, other] = await Promise.all(services.map(({ url }) => callWithin(url, path, { key })));
        expect(one?.status).toBe(200);
        expect(one?.text, `${projectId} ${path}`).toBe(other?.text);
      }
    }
    await storage.close();
    for (const service of services) expect(await service.stop()).toBe(0);

    // Without these, the test would prove nothing.
    const statuses = countsOf(balancer.passed.map(({ status }) => String(status)));
    const figures = { kills: kills.length, rounds: letIn.length, events: events.length, tries: tries.length, arrivals };
    if (CHAOS_STEPS !== undefined) process.stderr.write(`${JSON.stringify({ ...figures, statuses })}\n`);
    expect((statuses.undefined ?? 0) + (statuses["503"] ?? 0)).toBeGreaterThan(STEPS);
    expect(events.length).toBeGreaterThan(50 * STEPS);
    expect(letIn.length).toBeGreaterThan(1);
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
