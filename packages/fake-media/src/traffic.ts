import type { MediaSums } from "./courier.js";
import type { FakeMedia } from "./fake-media.js";
import type { Refusal } from "./intake.js";
import type { AdmittedClient, ConnectedClient } from "./node.js";
import {
  channelOf,
  checkIncidents,
  clientOf,
  type Incident,
  type PlanOptions,
  planTraffic,
  type Visit,
} from "./script.js";

/** The result of a client's attempt to connect. */
export type Attempt = Pick<AdmittedClient, "allowed"> | Refusal;

/** The traffic, and what happens to it. */
export interface TrafficOptions extends PlanOptions {
  /** How often each connection sends `connection.updated`. @default 60000 */
  updateEveryMs?: number;
  /** Ends it early: all clients disconnect, and their events are sent. */
  signal?: AbortSignal;
  /** Called after each client's attempt to connect. */
  onConnect?: (client: Attempt) => void;
}

/** What an incident caused. */
interface IncidentSums {
  readonly kind: Incident["kind"];
  /** The connections that failed: for each, `connection.failed` was sent. */
  failed: number;
  /** The attempts that were refused. */
  refused: number;
  /** The failures and refusals by reason: that of the event, and the intake's. */
  readonly byReason: Record<string, number>;
  /** Those of clients with an id, by it. */
  readonly byClient: Record<string, number>;
  readonly byNode: Record<string, number>;
  readonly byChannel: Record<string, number>;
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
  const caused = incidents.map(({ kind }): IncidentSums => {
    return { kind, failed: 0, refused: 0, byReason: {}, byClient: {}, byNode: {}, byChannel: {} };
  });
  const script = planTraffic(seed, options, media.nodeName);
  const began = timeline.time();
  const present = new Set<Pick<ConnectedClient, "disconnect">>();
  /** Clients that are expected, connecting or connected. */
  let visitors = 0;
  let isCutShort = false;
  let isExpecting = false;
  let resolveAllGone = (): void => {};
  const allGone = new Promise<void>((resolve) => {
    resolveAllGone = resolve;
  });

  /** Schedules an action at a time since the beginning. */
  function at(ms: number, run: () => Promise<void>): void {
    timeline.after(began + ms - timeline.time(), run);
  }

  function expectNext(): void {
    const { value: visit } = script.next();
    isExpecting = visit !== undefined;
    if (!visit) return;
    visitors++;
    at(visit.at, async () => {
      if (isCutShort) return;
      expectNext();
      await receive(visit);
    });
  }

  async function receive({ accessToken, incident, failure, ...visit }: Visit): Promise<void> {
    const admission = await media.admit({ ...visit, ...(accessToken && { accessToken: accessToken() }) });
    onConnect?.(admission);
    if (!admission.allowed) {
      if (incident !== undefined) count(incident, "refused", visit, admission.reason);
      return gone();
    }
    if (failure) {
      return failLater(failure.afterMs, async () => {
        count(failure.incident, "failed", visit, ICE_TIMEOUT);
        await admission.fail(ICE_TIMEOUT);
      });
    }
    const client = await admission.connect();
    if (!client.allowed) return gone();
    present.add(client);
    if (isCutShort) await leave(client);
    else stay(client, visit.at + updateEveryMs, visit.at + visit.staysMs);
  }

  function count(incident: number, outcome: "failed" | "refused", visit: Visit, reason: string): void {
    const sums = caused[incident];
    if (!sums) return;
    const { nodeName = media.nodeName, channelId, clientId } = visit;
    const add = (by: Record<string, number>, name: string): void => {
      by[name] = (by[name] ?? 0) + 1;
    };
    sums[outcome]++;
    add(sums.byReason, reason);
    add(sums.byNode, nodeName);
    add(sums.byChannel, channelId);
    if (clientId !== undefined) add(sums.byClient, clientId);
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

  expectNext();
  if (visitors === 0) resolveAllGone();
  await media.pass(total, signal);
  if (signal?.aborted) {
    isCutShort = true;
    if (isExpecting) gone();
    await Promise.all([...present].map(leave));
  }
  await allGone;
  await media.settle();
  return { ...media.sums, incidents: caused };
}

type HoldOptions = Pick<TrafficOptions, "channels" | "projects" | "nodes" | "clients" | "signal" | "onConnect"> & {
  connections: number;
};

// So that few clients are still connecting when the signal aborts.
const MOST_AT_A_TIME = 1000;

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
    const channelId = channelOf(index % channels, projects);
    const client = await media.connect({ channelId, ...clientOf(media.seed, index, options) });
    onConnect?.(client);
    if (!client.allowed) return;
    clients.push(client);
    keepUpdating(client);
  }

  let next = 0;
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
