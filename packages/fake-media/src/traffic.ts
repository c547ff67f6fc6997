import type { ConnectedClient } from "./channels.js";
import type { MediaSums } from "./courier.js";
import type { FakeMedia } from "./fake-media.js";
import type { Role } from "./options.js";
import { randomFor } from "./random.js";

/** The number of clients that connect, and the duration of their stay. */
export interface TrafficOptions {
  /** The duration in milliseconds; all clients have disconnected at the end. @default 60000 */
  for?: number;
  /** The average number of new connections per second. @default 10 */
  rate?: number;
  /** The number of channels; some are busier than others. @default 20 */
  channels?: number;
  /** The projects of the channels, assigned round-robin. @default ["demo"] */
  projects?: readonly string[];
  /** The average duration of a client's stay. @default 20000 */
  staysMs?: number;
  /** How often each connection sends `connection.updated`. @default 60000 */
  updateEveryMs?: number;
  /** Ends it early: all clients disconnect, and their events are sent. */
  signal?: AbortSignal;
  /** Called after each client's attempt to connect. */
  onConnect?: (client: Awaited<ReturnType<FakeMedia["connect"]>>) => void;
}

/** A planned connection. */
export interface Visit {
  /** The start, in whole milliseconds since the beginning. */
  readonly at: number;
  readonly channelId: string;
  readonly role: Role;
  readonly staysMs: number;
}

const UPDATE_EVERY_MS = 60_000;

const names = ["lobby", "stage", "class", "studio", "meeting", "arena", "clinic", "garden"] as const;
const roles = ["sendrecv", "sendrecv", "sendonly", "recvonly", "recvonly", "recvonly"] as const;

/** The channel with a number: the same for traffic and for held connections. */
function channelOf(index: number, projects: readonly string[] = ["demo"]): string {
  return `${names[index % names.length]}-${index + 1}@${projects[index % projects.length]}`;
}

function roleOf(seed: number, client: number): Role {
  return randomFor(seed, "role", client).pick(roles);
}

/** All visits in order; the same for the same seed. */
export function* planTraffic(seed: number, options: TrafficOptions): Generator<Visit, void> {
  const { for: total = 60_000, rate = 10, channels = 20, projects, staysMs = 20_000 } = options;
  const random = randomFor(seed, "traffic");
  // Exponential, as for independent clients.
  const draw = (mean: number): number => -Math.log(1 - random.next()) * mean;
  let moment = draw(1000 / rate);
  for (let client = 0; moment < total; client++) {
    const at = Math.floor(moment);
    // Squared, so that the first channels are crowded and the last ones often empty.
    const channelId = channelOf(Math.floor(random.next() ** 2 * channels), projects);
    const stay = Math.min(Math.ceil(draw(staysMs)), Math.ceil(total) - at);
    yield { at, channelId, role: roleOf(seed, client), staysMs: stay };
    moment += draw(1000 / rate);
  }
}

/**
 * Lets clients connect and disconnect. At the end all of them have disconnected, and everything has been sent. To end
 * it early, use the signal; the media server must not be closed before it has ended.
 *
 * @example const { connections } = await runTraffic(media, { rate: 50, for: 60_000 });
 */
export async function runTraffic(media: FakeMedia, options: TrafficOptions = {}): Promise<Readonly<MediaSums>> {
  const { for: total = 60_000, updateEveryMs = UPDATE_EVERY_MS, signal, onConnect } = options;
  const { timeline } = media;
  const plan = planTraffic(media.seed, options);
  const began = timeline.time();
  const present = new Set<ConnectedClient>();
  /** Clients that are expected, connecting or connected. */
  let visitors = 0;
  let isExpecting = false;
  let isCutShort = false;
  let resolveAllGone = (): void => {};
  const allGone = new Promise<void>((resolve) => {
    resolveAllGone = resolve;
  });

  /** Schedules an action at a time since the beginning. */
  function at(ms: number, run: () => Promise<void>): void {
    timeline.after(began + ms - timeline.time(), run);
  }

  function expectNext(): void {
    const { value: visit } = plan.next();
    isExpecting = visit !== undefined;
    if (!visit) return;
    visitors++;
    at(visit.at, async () => {
      if (isCutShort) return;
      expectNext();
      await receive(visit);
    });
  }

  async function receive(visit: Visit): Promise<void> {
    const client = await media.connect(visit);
    onConnect?.(client);
    if (!client.allowed) return gone();
    present.add(client);
    if (isCutShort) await leave(client);
    else stay(client, visit.at + updateEveryMs, visit.at + visit.staysMs);
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

  async function leave(client: ConnectedClient): Promise<void> {
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
  return media.sums;
}

type HoldOptions = Pick<TrafficOptions, "channels" | "projects" | "signal" | "onConnect"> & { connections: number };

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
      role: roleOf(media.seed, index),
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
