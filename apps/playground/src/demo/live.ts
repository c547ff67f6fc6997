import { randomUUID } from "node:crypto";
import { EventEmitter, setMaxListeners } from "node:events";
import { setTimeout as elapsed } from "node:timers/promises";
import { type FakeMedia, type Random, randomFor } from "@media-ops/fake-media";
import type { Logger } from "pino";
import * as z from "zod";
import { serve } from "../ports.js";
import { within } from "../stops.js";
import {
  channels,
  drawVisitor,
  listings,
  nodes,
  STUCK_EVERY_MS,
  stuckClient,
  type Visitor,
  waitFor,
} from "./visitors.js";

/** The demo project's own server, which receives its webhooks. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

// Most responses succeed quickly. About one in 36 fails, one is busy, and one is slow.
const quick = { status: 200, minMs: 3, maxMs: 60 };
const busy = { status: 503, minMs: 100, maxMs: 400 };
const others = [{ status: 500, minMs: 3, maxMs: 60 }, busy, { status: 200, minMs: 1_200, maxMs: 2_500 }];

/** Starts a server that accepts most webhooks, but sometimes fails, is busy or slow. */
export async function startReceiver(port: number, seed: number) {
  const random = randomFor(seed, "receiver");
  let isFailing = false;
  const { url, stop } = await serve(port, async (request, response) => {
    const { status, minMs, maxMs } = isFailing ? busy : (others[random.int(0, 35)] ?? quick);
    // The body must be read, even though it is not used.
    request.resume();
    await elapsed(random.int(minMs, maxMs), undefined, { ref: false });
    const text = status === 200 ? "{}" : '{"error":"try again later"}';
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  return {
    hooks: { session: `${url}/sessions`, event: `${url}/events` },
    setFailing(next: boolean): void {
      isFailing = next;
    },
    stop,
  };
}

/** How an incident proceeds that a person begins. */
export interface IncidentPace {
  readonly failsMs: number;
  /** How long clients go on coming and going after that, so that webhooks are seen to succeed. */
  readonly recoversMs: number;
  readonly visitEveryMs: number;
  /** The time over which the watch of a new workspace measures, as it is typed. */
  readonly watchedOver: string;
}

/** Long enough to read each message while it is the latest, and short enough to wait for the end. */
export const USUAL_INCIDENT: IncidentPace = {
  failsMs: 120_000,
  recoversMs: 60_000,
  visitEveryMs: 1_500,
  watchedOver: "1m",
};

const VISITS_AT_ONCE = 4;

/** An incident that a person can begin: the receiver of webhooks fails for a while, and clients come and go. */
export type LiveIncident = ReturnType<typeof createLiveIncident>;

/** Creates an incident that has not begun. */
export function createLiveIncident(
  { failsMs, recoversMs, visitEveryMs }: IncidentPace,
  receiver: Pick<Receiver, "setFailing">,
  life: Pick<Life, "visit">,
) {
  const changes = new EventEmitter().setMaxListeners(0);
  let until: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const fail = (next: number | undefined): void => {
    until = next;
    receiver.setFailing(next !== undefined);
    changes.emit("change");
  };
  const stop = (): void => clearInterval(timer);
  return {
    /** When the receiver recovers, in Unix milliseconds. Undefined if it works. */
    get until() {
      return until;
    },
    begin(): void {
      if (until !== undefined) return;
      // The clients of the last incident may still come and go.
      stop();
      const recoversAt = Date.now() + failsMs;
      timer = setInterval(() => {
        life.visit(VISITS_AT_ONCE * visitEveryMs);
        if (until !== undefined && Date.now() >= recoversAt) fail(undefined);
        if (Date.now() >= recoversAt + recoversMs) stop();
      }, visitEveryMs);
      fail(recoversAt);
    },
    /** Calls back when the incident begins, and when the receiver recovers. Returns a function that unsubscribes. */
    watch(listener: () => void): () => void {
      changes.on("change", listener);
      return () => changes.off("change", listener);
    },
    stop,
  };
}

interface LifeOptions {
  readonly serviceUrl: string;
  readonly media: FakeMedia;
  readonly apiKey: string;
  readonly projectId: string;
  readonly seed: number;
  readonly log: Logger;
}

/** The clients that are always there, so that somebody is connected at any time. */
const regulars: readonly Visitor[] = [
  { channel: "lobby", role: "sendrecv", clientId: "laptop-71", nodeName: "node-1" },
  { channel: "lobby", role: "recvonly", clientId: "tv-72", nodeName: "node-3" },
  { channel: "stage", role: "sendonly", clientId: "camera-73", nodeName: "node-1" },
  { channel: "stage", role: "recvonly", clientId: "phone-74", nodeName: "node-3" },
];

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
export type Life = ReturnType<typeof startLife>;

/** Generates activity until stopped: clients connect and disconnect, and apps call the service. */
export function startLife({ serviceUrl, media, apiKey, projectId, seed, log }: LifeOptions) {
  const ending = new AbortController();
  const { signal } = ending;
  // Every client listens to the signal.
  setMaxListeners(0, signal);
  const pause = (ms: number): Promise<void> => elapsed(ms, undefined, { signal });

  const call = (path: string, body: object = {}, headers: object = {}): Promise<Response> =>
    fetch(serviceUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  const mint = (body: object) => call("/projects/create-access-token", body);
  const mediaCall = (operation: string, body: object) =>
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
  async function withToken({ channel, role, ...client }: Visitor, lifetimeMs: number) {
    const channelId = `${channel}@${projectId}`;
    const expiration_time = new Date(Date.now() + lifetimeMs).toISOString();
    const response = await mint({ channel_id: channelId, role, expiration_time });
    if (!response.ok) return undefined;
    const { access_token: accessToken } = tokenSchema.parse(await response.json());
    return { ...client, channelId, role, accessToken };
  }

  /** Simulates a client that does not notice that its token has expired. */
  async function tryOn(): Promise<void> {
    const options = await withToken(stuckClient, -EXPIRED_MS);
    while (options) {
      await media.connect(options);
      await pause(STUCK_EVERY_MS);
    }
  }

  async function visit(visitor: Visitor, staysMs: number): Promise<void> {
    const options = await withToken(visitor, TOKEN_LIFETIME_MS);
    const client = options && (await media.connect(options));
    if (!client?.allowed) return;
    // Clients still disconnect after a stop.
    await pause(staysMs).catch(() => {});
    await client.disconnect();
  }

  /** Simulates a client that stays: if it is disconnected, it tries again, with another token if that is refused. */
  async function stay(visitor: Visitor): Promise<void> {
    let options = await withToken(visitor, REGULAR_LIFETIME_MS);
    for (;;) {
      const client = options && (await media.connect(options));
      if (client?.allowed) {
        while (client.isConnected && !signal.aborted) await pause(LOOK_MS).catch(() => {});
        await client.disconnect();
      }
      await pause(BACK_AFTER_MS);
      if (!client?.allowed) options = await withToken(visitor, REGULAR_LIFETIME_MS);
    }
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
  /** Acts again and again until it is stopped, with random pauses. */
  async function repeat(everyMs: typeof VISIT_EVERY_MS, purpose: string, act: (random: Random) => Promise<void>) {
    const random = randomFor(seed, purpose);
    for (;;) {
      const isFirst = performance.now() - began < FIRST_MS;
      await pause(500 + waitFor(random, isFirst ? everyMs.first : everyMs.later));
      track(act(random));
    }
  }
  track(visit({ channel: "lobby", role: "sendrecv", clientId: "laptop-1", nodeName: nodes[0] }, 3_000));
  track(tryOn());
  for (const visitor of regulars) track(stay(visitor));
  track(repeat(VISIT_EVERY_MS, "visits", (random) => visit(drawVisitor(random), 2_000 + waitFor(random, STAYS_MS))));
  track(repeat(CALL_EVERY_MS, "calls", callOnce));

  const extra = randomFor(seed, "extra visits");
  return {
    /** Lets another client connect, and disconnect after a time. */
    visit: (staysMs: number): void => track(visit(drawVisitor(extra), staysMs)),
    async stop(): Promise<void> {
      ending.abort();
      await within(GOODBYE_MS, Promise.all(underWay));
      await within(GOODBYE_MS, media.close({ abrupt: true }));
    },
  };
}
