import { setTimeout } from "node:timers/promises";
import { type FakeMedia, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it } from "vitest";
import { startBalancer } from "../test/balancer.js";
import { crowdsIn, entriesIn } from "../test/chaos.js";
import { callWithin, pathOf } from "../test/harness.js";
import { type OwnCitus, startOwnCitus } from "../test/own-citus.js";
import { type OwnPostgres, startOwnPostgres } from "../test/own-postgres.js";
import { prepareProjects, sharedEnv } from "../test/prepare-projects.js";
import { startFailingReceiver } from "../test/receiver.js";
import { type Supervised, supervise } from "../test/supervised.js";
import { openStorage, type Storage } from "./open-storage.js";

interface ChaosOptions {
  /** The database. */
  readonly url: string;
  readonly projects: readonly string[];
  /** The projects whose channels have a few places, which crowds request again and again. */
  readonly doors: readonly string[];
  readonly roundEveryMs: number;
  /** How many connections each media server has. */
  readonly sockets: number;
}

/** The places in each channel of the doors. */
const PLACES = 5;
const CROWD = 25;

/**
 * Starts two services on a database, behind a load balancer, and media servers that repeat, delay and swap events, and
 * wait long for answers. Meanwhile, the test does harm.
 */
async function startChaos({ url, projects, doors, roundEveryMs, sockets }: ChaosOptions) {
  const env = sharedEnv(url);
  const receiver = await startFailingReceiver();
  const { intakeKey, apiKeys } = await prepareProjects(env, [...projects, ...doors], receiver.url);
  const services = await Promise.all([supervise(env), supervise(env)]);
  await Promise.all(services.map((service) => service.ready()));
  const balancer = await startBalancer(services.map(({ internalUrl }) => internalUrl));
  const tokens = new Map<string, string>();
  for (const projectId of doors) {
    const key = apiKeyToTokenKey(apiKeys.get(projectId) ?? "");
    tokens.set(projectId, await signToken({ max_channel_connections: PLACES }, key));
  }
  const usual = {
    intakeUrl: `${balancer.url}/intake`,
    intakeKey,
    timeoutMs: 90_000,
    sockets,
    misbehaviour: { twice: 0.3, late: 0.1, outOfOrder: 0.2, lateMs: 3000 },
  };
  const media = await startFakeMedia({ ...usual, seed: 7, nodeName: "node-1" });
  const atDoors = await startFakeMedia({
    ...usual,
    seed: 8,
    nodeName: "node-2",
    accessToken: (channelId) => tokens.get(channelId.slice(channelId.indexOf("@") + 1)),
    reportsConnections: false,
  });
  const end = new AbortController();
  const signal: AbortSignal = end.signal;
  const rounds = Promise.all(doors.map((projectId) => letInByRounds(atDoors, projectId, { signal, roundEveryMs })));

  return {
    services,
    receiver,
    apiKeys,
    media,
    atDoors,
    signal,
    /** Ends the traffic. Expects that nothing was lost, stored twice or admitted beyond the places. Returns the rest. */
    async end(traffic: readonly Promise<unknown>[]) {
      end.abort();
      await Promise.all(traffic);
      const letIn = (await rounds).flat();
      for (const one of [media, atDoors]) await one.close();

      const storage = await openStorage(url);
      const { query } = storage;
      // Includes what killed or hung services had begun, once their leases expire.
      await expect.poll(() => hurry(query), { timeout: 120_000, interval: 500 }).toBe(0);

      // All of it is checked, whatever fails: a run may take an hour.
      expect.soft(services.flatMap((service) => service.faults)).toEqual([]);
      // Each answer was a success, a refusal with a time to retry, or lost with its connection.
      const odd = balancer.passed.filter(({ status }) => status !== 200 && status !== undefined);
      expect.soft(odd.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([]);
      const kept: number[] = [];
      for (const [kind, type, idName] of [
        ["connections", "connection.destroyed", "connection_id"],
        ["sessions", "session.destroyed", "session_id"],
      ] as const) {
        const ids = (await entriesIn(query, kind)).map((entry) => String(entry[idName])).sort();
        const acknowledged = acknowledgedBy([media, atDoors], ({ body }) => body.type === type, idName);
        expect.soft(ids, kind).toEqual(acknowledged);
        kept.push(ids.length);
      }
      const events = acknowledgedBy([media, atDoors], ({ to }) => to === "event", "id");
      const deliveries = await query.selectFrom("delivery").select(["event_id", "tries"]).execute();
      expect.soft(deliveries.map(({ event_id }) => event_id).sort()).toEqual(events);
      expect.soft([...receiver.sent.keys()].sort()).toEqual(events);
      expect.soft(letIn).toEqual(letIn.map(() => PLACES));
      expect.soft(Math.max(...crowdsIn(atDoors))).toBe(PLACES);
      expect.soft(await query.selectFrom("seat").selectAll().execute()).toEqual([]);
      for (const [projectId, key] of apiKeys) {
        for (const path of [pathOf.listConnectionLogs, pathOf.listSessionLogs, pathOf.listWebhookLogs]) {
          const [one, other] = await Promise.all(services.map(({ url }) => callWithin(url, path, { key })));
          expect.soft(one?.status).toBe(200);
          expect.soft(one?.text, `${projectId} ${path}`).toBe(other?.text);
        }
      }
      const tries = await entriesIn(query, "webhooks");
      await storage.close();
      for (const service of services) expect.soft(await service.stop()).toBe(0);
      return {
        events,
        deliveries,
        tries,
        /** How many connections and sessions were logged. */
        kept,
        /** How many tries the deliveries count. */
        made: deliveries.reduce((sum, { tries: made }) => sum + made, 0),
        arrivals: [...receiver.sent.values()].flat().length,
        rounds: letIn.length,
        /** How many attempts to forward a request had each status. */
        statuses: countsOf(balancer.passed.map(({ status }) => String(status))),
      };
    },
  };
}

/** Repeatedly lets a crowd request the few seats of a channel. Returns how many were admitted in each round. */
async function letInByRounds(
  media: FakeMedia,
  projectId: string,
  { signal, roundEveryMs }: { signal: AbortSignal; roundEveryMs: number },
): Promise<number[]> {
  const letIn: number[] = [];
  while (!signal.aborted) {
    const channelId = `round-${letIn.length}@${projectId}`;
    const clients = await Promise.all(Array.from({ length: CROWD }, () => media.connect({ channelId })));
    const inside = clients.filter((client) => client.allowed);
    letIn.push(inside.length);
    await Promise.all(inside.map((client) => client.disconnect()));
    await setTimeout(roundEveryMs);
  }
  return letIn;
}

type Sent = FakeMedia["sent"][number];

/** The values of a member in the acknowledged requests of a kind: each once, sorted. */
function acknowledgedBy(media: readonly FakeMedia[], isMeant: (sent: Sent) => boolean, name: string): string[] {
  const meant = media.flatMap(({ sent }) => sent.filter((one) => one.acknowledged && isMeant(one)));
  return [...new Set(meant.map(({ body }) => String(body[name])))].sort();
}

/** Makes failed deliveries due at once, as if minutes had passed. Returns how many still wait. */
async function hurry(query: Storage["query"]): Promise<number> {
  const now = Date.now();
  await query.updateTable("delivery").set({ next_at: now }).where("next_at", ">", now).execute();
  await query.updateTable("delivery_queue").set({ due_at: now }).where("due_at", ">", now).execute();
  return (await query.selectFrom("delivery").select("event_id").where("state", "!=", "delivered").execute()).length;
}

/** How often each text occurs. */
function countsOf(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of texts) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

// A manual run may take much longer.
const { CHAOS_STEPS } = process.env;
const STEPS = Number(CHAOS_STEPS ?? 4);
const STEP_MS = 2500;

async function checkPostgres(): Promise<void> {
  const postgres = await startOwnPostgres();
  const [projects, doors] = [["alpha", "beta", "gamma"], ["doors"]];
  const chaos = await startChaos({ url: postgres.url, projects, doors, roundEveryMs: 250, sockets: 256 });
  const { services, receiver, signal } = chaos;
  const endless = { for: 3_600_000, staysMs: 500, updateEveryMs: 300, signal };
  const traffic = [
    runTraffic(chaos.media, { ...endless, rate: 8, channels: 40, projects }),
    runTraffic(chaos.atDoors, { ...endless, rate: 6, channels: 2, projects: doors }),
  ];
  const kills = await harmPostgres(postgres, services);
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
}

/**
 * Kills a service every few seconds. In between, it stops or kills PostgreSQL for a while, together with a service.
 * Returns the times at which services were killed, in ms since 1970.
 */
async function harmPostgres(postgres: OwnPostgres, services: readonly Supervised[]): Promise<number[]> {
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

// Of a PostgreSQL that has Citus. A manual run may take an hour.
const { TEST_CITUS_PROGRAMS = "", CITUS_MINUTES } = process.env;
const RUN_MS = Number(CITUS_MINUTES ?? 3) * 60_000;
const DOWN_MS = Math.min(30_000, RUN_MS / 12);
const ASK_EVERY_MS = 500;

async function checkCitus(): Promise<void> {
  const citus = await startOwnCitus(TEST_CITUS_PROGRAMS, 2);
  const projects = Array.from({ length: 50 }, (_, nth) => `project-${nth}`);
  // Their seats are in several shards.
  const doors = ["doors-0", "doors-1", "doors-2"];
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
  await harmCitus(citus);
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
}

/** Kills each of two workers for a while, and moves a third of the shards to a new one. */
async function harmCitus(citus: OwnCitus): Promise<void> {
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

if (process.env.TEST_LEVEL === "citus") {
  it(
    "two services on Citus lose nothing, store nothing twice and never admit too many, though workers are killed and shards move",
    checkCitus,
    3 * RUN_MS + 300_000,
  );
} else {
  it(
    "two services on one PostgreSQL lose nothing, store nothing twice and never admit too many, even if any of the three is killed",
    checkPostgres,
    STEPS * 20_000 + 120_000,
  );
}
