import type { AdmittedClient, ConnectedClient } from "./channels.js";
import type { MediaSums } from "./courier.js";
import type { FakeMedia } from "./fake-media.js";
import {
  checkIncidents,
  countDamage,
  failsAfter,
  type Incident,
  type IncidentSums,
  type IncidentVisit,
  noIncidentSums,
  planIncident,
} from "./incidents.js";
import type { Refusal } from "./intake.js";
import { channelOf, clientOf, type PlanOptions, planTraffic, type Visit } from "./plan.js";

/** The result of a client's attempt to connect. */
export type Attempt = Pick<AdmittedClient, "allowed"> | Refusal;

/** The traffic, and what happens to it. */
export interface TrafficOptions extends PlanOptions {
  /** How often each connection sends `connection.updated`. @default 60000 */
  updateEveryMs?: number;
  /** The incidents in it; other clients are the same with and without them. @default none */
  incidents?: readonly Incident[];
  /** Ends it early: all clients disconnect, and their events are sent. */
  signal?: AbortSignal;
  /** Called after each client's attempt to connect. */
  onConnect?: (client: Attempt) => void;
}

/** The totals of the media server, and what each incident caused, in the order of the option. */
export type TrafficSums = Readonly<MediaSums> & { readonly incidents: readonly Readonly<IncidentSums>[] };

const UPDATE_EVERY_MS = 60_000;
const ICE_TIMEOUT = "ICE-TIMEOUT";

/**
 * Lets clients connect and disconnect. At the end all of them have disconnected, and everything has been sent. To end
 * it early, use the signal; the media server must not be closed before it has ended.
 *
 * @example const { connections } = await runTraffic(media, { rate: 50, for: 60_000 });
 */
export async function runTraffic(media: FakeMedia, options: TrafficOptions = {}): Promise<TrafficSums> {
  const { for: total = 60_000, updateEveryMs = UPDATE_EVERY_MS, incidents = [], signal, onConnect } = options;
  const { timeline, seed } = media;
  checkIncidents(incidents, total, options.nodes ?? [media.nodeName]);
  const planted = incidents.map((incident) => ({ incident, sums: noIncidentSums(incident) }));
  const began = timeline.time();
  const present = new Set<Pick<ConnectedClient, "disconnect">>();
  /** Clients that are expected, connecting or connected. */
  let visitors = 0;
  let expected = 0;
  let isCutShort = false;
  let resolveAllGone = (): void => {};
  const allGone = new Promise<void>((resolve) => {
    resolveAllGone = resolve;
  });

  /** Schedules an action at a time since the beginning. */
  function at(ms: number, run: () => Promise<void>): void {
    timeline.after(began + ms - timeline.time(), run);
  }

  function expectNext<V extends Visit>(plan: Iterator<V, void>, receive: (visit: V) => Promise<void>): void {
    const { value: visit } = plan.next();
    if (!visit) return;
    expected++;
    visitors++;
    at(visit.at, async () => {
      if (isCutShort) return;
      expected--;
      expectNext(plan, receive);
      await receive(visit);
    });
  }

  async function receive(visit: Visit): Promise<void> {
    const admission = await media.admit(visit);
    onConnect?.(admission);
    if (admission.allowed) await letIn(admission, visit);
    else gone();
  }

  async function receiveIn(sums: IncidentSums, { accessToken, ...visit }: IncidentVisit): Promise<void> {
    const admission = await media.admit({ ...visit, accessToken: accessToken() });
    onConnect?.(admission);
    if (admission.allowed) return letIn(admission, visit);
    countDamage(sums, { nodeName: media.nodeName, ...visit, outcome: "refused", reason: admission.reason });
    gone();
  }

  async function letIn(admission: AdmittedClient, visit: Visit): Promise<void> {
    const { nodeName = media.nodeName } = visit;
    for (const { incident, sums } of planted) {
      const afterMs = failsAfter(seed, incident, visit, nodeName);
      if (afterMs === undefined) continue;
      return failLater(afterMs, async () => {
        countDamage(sums, { ...visit, nodeName, outcome: "failed", reason: ICE_TIMEOUT });
        await admission.fail(ICE_TIMEOUT);
      });
    }
    const client = await admission.connect();
    if (!client.allowed) return gone();
    present.add(client);
    if (isCutShort) await leave(client);
    else stay(client, visit.at + updateEveryMs, visit.at + visit.staysMs);
  }

  /** Lets a client wait for its failure. It gives up if the traffic ends before. */
  async function failLater(ms: number, fail: () => Promise<void>): Promise<void> {
    const waiting = { disconnect: async () => {} };
    present.add(waiting);
    if (isCutShort) return leave(waiting);
    timeline.after(ms, async () => {
      if (!present.delete(waiting)) return;
      await fail();
      gone();
    });
  }

  function stay(client: ConnectedClient, nextUpdate: number, leaves: number): void {
    if (nextUpdate >= leaves) {
      at(leaves, () => leave(client));
      return;
    }
    at(nextUpdate, async () => {
      // The next update does not wait for the response, so that updates stay on schedule.
      stay(client, nextUpdate + updateEveryMs, leaves);
      await client.update();
    });
  }

  async function leave(client: Pick<ConnectedClient, "disconnect">): Promise<void> {
    if (!present.delete(client)) return;
    await client.disconnect();
    gone();
  }

  function gone(): void {
    visitors--;
    if (visitors === 0) resolveAllGone();
  }

  expectNext(planTraffic(seed, options), receive);
  for (const [index, { incident, sums }] of planted.entries()) {
    expectNext(planIncident(seed, index, incident, options), (visit) => receiveIn(sums, visit));
  }
  if (visitors === 0) resolveAllGone();
  await media.pass(total, signal);
  if (signal?.aborted) {
    isCutShort = true;
    for (; expected > 0; expected--) gone();
    await Promise.all([...present].map(leave));
  }
  await allGone;
  await media.settle();
  return { ...media.sums, incidents: planted.map(({ sums }) => sums) };
}

type HoldOptions = Pick<TrafficOptions, "channels" | "projects" | "nodes" | "clients" | "signal" | "onConnect"> & {
  connections: number;
};

/**
 * Opens connections concurrently, and holds them; each sends `connection.updated` once a minute. `release` disconnects
 * all of them, and waits until everything has been sent.
 *
 * @example
 * const held = await holdConnections(media, { connections: 10_000 });
 * await held.release();
 */
export async function holdConnections(media: FakeMedia, options: HoldOptions) {
  const { connections, channels = 20, projects, signal, onConnect } = options;
  const clients: ConnectedClient[] = [];

  function keepUpdating(client: ConnectedClient): void {
    media.timeline.after(UPDATE_EVERY_MS, async () => {
      if (!client.isConnected) return;
      keepUpdating(client);
      await client.update();
    });
  }

  async function open(index: number): Promise<void> {
    if (signal?.aborted) return;
    const client = await media.connect({
      channelId: channelOf(index % channels, projects),
      ...clientOf(media.seed, index, options),
    });
    onConnect?.(client);
    if (!client.allowed) return;
    clients.push(client);
    keepUpdating(client);
  }

  // Limits concurrency, so that few clients are still connecting when the signal aborts.
  let next = 0;
  const MOST_AT_A_TIME = 1000;
  await Promise.all(
    Array.from({ length: Math.min(MOST_AT_A_TIME, connections) }, async () => {
      while (next < connections) await open(next++);
    }),
  );
  return {
    clients,
    async release(): Promise<void> {
      await Promise.all(clients.map((client) => client.disconnect()));
      await media.settle();
    },
  };
}
