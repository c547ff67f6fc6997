import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as elapsed } from "node:timers/promises";
import { type FakeMedia, type Random, randomFor } from "@media-ops/fake-media";
import type { Logger } from "pino";
import * as z from "zod";
import { within } from "../stops.js";
import {
  channels,
  drawVisitor,
  listings,
  nodes,
  regulars,
  STUCK_EVERY_MS,
  stuckClient,
  type Visitor,
  waitFor,
} from "./visitors.js";

/** A client that was allowed to connect. */
type ConnectedClient = Extract<Awaited<ReturnType<FakeMedia["connect"]>>, { allowed: true }>;

interface LifeOptions {
  readonly serviceUrl: string;
  /** Closed when the activity stops. */
  readonly media: FakeMedia;
  readonly apiKey: string;
  readonly projectId: string;
  readonly seed: number;
  readonly log: Logger;
}

// More frequent at first, so that a person who has just started the playground sees activity.
const VISIT_EVERY_MS = { first: 6_000, later: 60_000 };
const CALL_EVERY_MS = { first: 9_000, later: 45_000 };
const FIRST_MS = 60_000;
const STAYS_MS = 38_000;
const TOKEN_LIFETIME_MS = 600_000;
// The same as in the past that a new demo begins with.
const EXPIRED_MS = 3_000_000;
const GOODBYE_MS = 500;
// A working day.
const REGULAR_LIFETIME_MS = 8 * 60 * 60_000;
const LOOK_MS = 500;
// Long enough to see that nobody is connected after a channel was disconnected.
const BACK_AFTER_MS = 20_000;

const tokenSchema = z.object({ access_token: z.string() });

/** The activity in the demo project. */
export interface Life {
  /** Lets another client connect, and disconnect after a time. */
  visit(staysMs: number): void;
  /** Takes up to a second. */
  stop(): Promise<void>;
}

/** Generates activity until stopped: clients connect and disconnect, and apps call the service. */
export function startLife({ serviceUrl, media, apiKey, projectId, seed, log }: LifeOptions): Life {
  const ending = new AbortController();
  const { signal } = ending;
  // Every client listens to the signal.
  setMaxListeners(0, signal);

  const call = (path: string, body: object = {}, headers: object = {}): Promise<Response> =>
    fetch(serviceUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  const mint = (body: object): Promise<Response> => call("/projects/create-access-token", body);
  const mediaCall = (operation: string, body: object): Promise<Response> =>
    call("/media-api", body, { "x-media-target": `Media_20151104.${operation}` });

  /** Makes one of the calls that apps make. Some are wrong on purpose. */
  async function callOnce(random: Random): Promise<void> {
    const channel_id = `${random.pick(channels)}@${projectId}`;
    const list = () => call(random.pick(listings));
    const connections = () => mediaCall("ListChannelConnections", { channel_id });
    const token = () => mint({ channel_id });
    const act = random.pick([
      ...([list, list, list, list, list, connections, connections, connections, connections, token, token] as const),
      () => mint({ expiration_tme: new Date().toISOString() }),
      () => mediaCall("DisconnectConnection", { channel_id: `lobby@${projectId}`, connection_id: randomUUID() }),
      () => mediaCall("DisconnectChannel", { channel_id: `lobyy@${projectId}` }),
    ]);
    const response = await act();
    await response.body?.cancel();
  }

  /** Returns how a client connects, with a token that expires after a time or has expired; undefined if it gets none. */
  async function withToken({ channel, role, clientId, nodeName }: Visitor, lifetimeMs: number) {
    const channelId = `${channel}@${projectId}`;
    const expiration_time = new Date(Date.now() + lifetimeMs).toISOString();
    const response = await mint({ channel_id: channelId, role, expiration_time });
    if (!response.ok) return undefined;
    const { access_token: accessToken } = tokenSchema.parse(await response.json());
    return { channelId, role, clientId, nodeName, accessToken };
  }

  /** Simulates a client that does not notice that its token has expired. */
  async function tryOn(): Promise<void> {
    const options = await withToken(stuckClient, -EXPIRED_MS);
    while (options && !signal.aborted) {
      await media.connect(options);
      await elapsed(STUCK_EVERY_MS, undefined, { signal });
    }
  }

  /** Simulates a client that gets a token, connects, stays for some time and disconnects. */
  async function visit(visitor: Visitor, staysMs: number): Promise<void> {
    const options = await withToken(visitor, TOKEN_LIFETIME_MS);
    if (!options || signal.aborted) return;
    const client = await media.connect(options);
    if (!client.allowed) return;
    // Clients still disconnect after a stop.
    await elapsed(staysMs, undefined, { signal }).catch(() => {});
    await client.disconnect();
  }

  /**
   * Simulates a client that stays. If it is disconnected, it soon tries again with the same token, and gets another one
   * if that is refused.
   */
  async function stay(visitor: Visitor): Promise<void> {
    let options = await withToken(visitor, REGULAR_LIFETIME_MS);
    while (!signal.aborted) {
      const client = options && (await media.connect(options));
      if (client?.allowed) await whileConnected(client);
      await elapsed(BACK_AFTER_MS, undefined, { signal });
      if (!client?.allowed) options = await withToken(visitor, REGULAR_LIFETIME_MS);
    }
  }

  /** Waits until the client is disconnected, or disconnects it after a stop. */
  async function whileConnected(client: ConnectedClient): Promise<void> {
    while (client.isConnected && !signal.aborted) await elapsed(LOOK_MS, undefined, { signal }).catch(() => {});
    await client.disconnect();
  }

  const underWay = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    const onError = (error: unknown): void => {
      if (!signal.aborted) log.warn({ err: error }, "the demo failed");
    };
    const tracked = work.catch(onError).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const began = performance.now();
  /** Acts repeatedly, with random pauses. */
  async function repeat(
    pauseMs: typeof VISIT_EVERY_MS,
    random: Random,
    act: (random: Random) => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      const isFirst = performance.now() - began < FIRST_MS;
      await elapsed(500 + waitFor(random, isFirst ? pauseMs.first : pauseMs.later), undefined, { signal });
      track(act(random));
    }
  }
  track(visit({ channel: "lobby", role: "sendrecv", clientId: "laptop-1", nodeName: nodes[0] }, 3_000));
  track(tryOn());
  for (const visitor of regulars) track(stay(visitor));
  const visitOnce = (random: Random): Promise<void> => visit(drawVisitor(random), 2_000 + waitFor(random, STAYS_MS));
  track(repeat(VISIT_EVERY_MS, randomFor(seed, "visits"), visitOnce));
  track(repeat(CALL_EVERY_MS, randomFor(seed, "calls"), callOnce));

  const extra = randomFor(seed, "extra visits");
  return {
    visit: (staysMs) => track(visit(drawVisitor(extra), staysMs)),
    async stop() {
      ending.abort();
      await within(GOODBYE_MS, Promise.all(underWay));
      await within(GOODBYE_MS, media.close({ abrupt: true }));
    },
  };
}
