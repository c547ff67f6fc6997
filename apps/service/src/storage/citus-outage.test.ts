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
import { type OwnCitus, startOwnCitus } from "../test/own-citus.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { startFailingReceiver } from "../test/receiver.js";
import { supervise } from "../test/supervised.js";
import { openStorage } from "./open-storage.js";

// vitest.hard.config.ts runs this test only if there is a Citus. A manual run may take an hour.
const { TEST_CITUS_PROGRAMS = "", CITUS_MINUTES } = process.env;
const RUN_MS = Number(CITUS_MINUTES ?? 3) * 60_000;
const DOWN_MS = Math.min(30_000, RUN_MS / 12);
const PROJECTS = Array.from({ length: 50 }, (_, nth) => `project-${nth}`);
// Their seats are in several shards.
const DOORS = ["doors-0", "doors-1", "doors-2"];
const ASK_EVERY_MS = 500;
const ROUND_EVERY_MS = 1000;

it(
  "two services on Citus lose nothing, store nothing twice and never admit too many, though workers are killed and shards move",
  async () => {
    const citus = await startOwnCitus(TEST_CITUS_PROGRAMS, 2);
    const env = sharedEnv(citus.url);
    const receiver = await startFailingReceiver();
    const { intakeKey, apiKeys } = await prepareProjects(env, [...PROJECTS, ...DOORS], receiver.url);
    const services = [await supervise(env), await supervise(env)];
    await Promise.all(services.map((service) => service.ready()));
    const balancer = await startBalancer(services.map(({ internalUrl }) => internalUrl));
    const target = { intakeUrl: `${balancer.url}/intake`, intakeKey, sockets: 512 };
    const keyOf = (projectId: string): string => apiKeys.get(projectId) ?? "";
    const tokens = new Map<string, string>();
    for (const projectId of DOORS) {
      const key = apiKeyToTokenKey(keyOf(projectId));
      const lasting = { max_channel_connections: PLACES, exp: Math.floor((Date.now() + 2 * RUN_MS) / 1000) };
      tokens.set(projectId, await signToken(lasting, key));
    }
    const media = await startBadMedia({ ...target, seed: 7, nodeName: "node-1" });
    const doors = await startBadMedia({
      ...target,
      seed: 8,
      nodeName: "node-2",
      accessToken: (channelId) => tokens.get(channelId.slice(channelId.indexOf("@") + 1)),
      reportsConnections: false,
    });

    const end = new AbortController();
    const { signal } = end;
    const traffic = runTraffic(media, {
      for: 2 * RUN_MS,
      staysMs: 2000,
      updateEveryMs: 1500,
      rate: 4,
      channels: 200,
      projects: PROJECTS,
      signal,
    });
    const rounds = Promise.all(DOORS.map((projectId) => letInByRounds(doors, projectId, signal, ROUND_EVERY_MS)));
    const answers: string[] = [];
    const asking = askAgainAndAgain(async (nth) => {
      const key = keyOf(PROJECTS[nth % PROJECTS.length] ?? "");
      const { status, headers } = await callWithin(services[nth % 2]?.url ?? "", pathOf.listSessionLogs, { key });
      answers.push(
        status === 503 && !(Number(headers.get("retry-after")) > 0) ? "503 without Retry-After" : `${status}`,
      );
    }, signal);
    const since = Date.now();
    await doHarm(citus);
    await setTimeout(Math.max(0, since + RUN_MS - Date.now()));
    end.abort();
    await Promise.all([traffic, asking]);
    const letIn = (await rounds).flat();
    for (const one of [media, doors]) await one.close();

    const storage = await openStorage(citus.url);
    const { query } = storage;
    // The outcomes of sent webhooks may still be held, and their leases last.
    await expect.poll(() => hurry(query), { timeout: 120_000, interval: 1000 }).toBe(0);

    const events = acknowledgedBy([media, doors], ({ to }) => to === "event", "id");
    const deliveries = await query.selectFrom("delivery").select(["event_id", "tries"]).execute();
    const tries = await entriesIn(query, "webhooks");
    const arrivals = [...receiver.sent.values()].flat().length;
    const statuses = countsOf(balancer.passed.map(({ status }) => String(status)));
    const figures = { statuses, listings: countsOf(answers), rounds: letIn.length, arrivals };
    if (CITUS_MINUTES !== undefined) process.stderr.write(`${JSON.stringify(figures)}\n`);

    // All of it is checked, whatever fails: a run may take an hour.
    expect.soft(services.flatMap((service) => service.faults)).toEqual([]);
    const odd = balancer.passed.filter(({ status }) => status !== 200);
    expect.soft(odd.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([]);
    expect.soft(Object.keys(countsOf(answers)).filter((answer) => answer !== "200" && answer !== "503")).toEqual([]);
    expect.soft(services.flatMap((service) => service.ended)).toEqual([]);

    for (const [kind, type, idName] of [
      ["connections", "connection.destroyed", "connection_id"],
      ["sessions", "session.destroyed", "session_id"],
    ] as const) {
      const kept = (await entriesIn(query, kind)).map((entry) => String(entry[idName])).sort();
      const acknowledged = acknowledgedBy([media, doors], ({ body }) => body.type === type, idName);
      expect.soft(kept, kind).toEqual(acknowledged);
      expect.soft(kept.length, kind).toBeGreaterThan(RUN_MS / 1000);
    }
    expect.soft(deliveries.map(({ event_id }) => event_id).sort()).toEqual(events);
    expect.soft([...receiver.sent.keys()].sort()).toEqual(events);
    // A process whose lease has lapsed meanwhile may have sent an event that another one sends, too: both are logged.
    expect.soft(tries).toHaveLength(arrivals);
    expect.soft(tries.length).toBeGreaterThanOrEqual(deliveries.reduce((sum, { tries: made }) => sum + made, 0));

    expect.soft(letIn).toEqual(letIn.map(() => PLACES));
    expect.soft(Math.max(...crowdsIn(doors))).toBe(PLACES);
    expect.soft(await query.selectFrom("seat").selectAll().execute()).toEqual([]);

    for (const [projectId, key] of apiKeys) {
      for (const path of [pathOf.listConnectionLogs, pathOf.listSessionLogs, pathOf.listWebhookLogs]) {
        const [one, other] = await Promise.all(services.map(({ url }) => callWithin(url, path, { key })));
        expect.soft(one?.status).toBe(200);
        expect.soft(one?.text, `${projectId} ${path}`).toBe(other?.text);
      }
    }
    await storage.close();
    for (const service of services) expect(await service.stop()).toBe(0);

    // Without these, the test would prove nothing.
    expect(statuses["503"] ?? 0).toBeGreaterThan(0);
    expect(events.length).toBeGreaterThan(RUN_MS / 1000);
    expect(letIn.length).toBeGreaterThan(DOORS.length);
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
