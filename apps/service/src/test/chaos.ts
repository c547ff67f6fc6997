import { setTimeout } from "node:timers/promises";
import { type FakeMedia, startFakeMedia } from "@media-ops/fake-media";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect } from "vitest";
import { type LogKind, logKinds } from "../logs/log-store.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { startBalancer } from "./balancer.js";
import { callWithin, pathOf } from "./harness.js";
import { prepareProjects, sharedEnv } from "./prepare-projects.js";
import { startFailingReceiver } from "./receiver.js";
import { supervise } from "./supervised.js";

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
export async function startChaos({ url, projects, doors, roundEveryMs, sockets }: ChaosOptions) {
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

/** The most connections in each channel at once, as counted by the media server. */
export function crowdsIn({ sent }: FakeMedia): number[] {
  const ends = sent.filter(({ body }) => body.type === "session.destroyed");
  return ends.map(({ body }) => Number(body.max_connections));
}

/** Makes failed deliveries due at once, as if minutes had passed. Returns how many still wait. */
async function hurry(query: Storage["query"]): Promise<number> {
  const now = Date.now();
  await query.updateTable("delivery").set({ next_at: now }).where("next_at", ">", now).execute();
  await query.updateTable("delivery_queue").set({ due_at: now }).where("due_at", ">", now).execute();
  return (await query.selectFrom("delivery").select("event_id").where("state", "!=", "delivered").execute()).length;
}

/** The entries of all projects' logs of a kind. */
export async function entriesIn(query: Storage["query"], kind: LogKind): Promise<Record<string, unknown>[]> {
  const rows = await query.selectFrom("log_entry").select("entry").where("kind", "=", logKinds[kind].number).execute();
  return rows.map(({ entry }) => JSON.parse(entry));
}

/** How often each text occurs. */
export function countsOf(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of texts) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}
