import { type AnsweredApiCall, startApi } from "./api.js";
import type { Client } from "./channels.js";
import { Courier, type MediaSums, noSums, type SentRequest } from "./courier.js";
import { Intake, refuse } from "./intake.js";
import { Node } from "./node.js";
import {
  type ConnectOptions,
  checkMisbehaviour,
  type FailOptions,
  type FakeMediaOptions,
  type Json,
} from "./options.js";
import { createRealTimeline, createStamps, createVirtualTimeline, type Timeline } from "./timeline.js";

/** A media server in a process: without media, but with its webhooks and its API. */
export interface FakeMedia {
  /** Its own API: `POST /` with the header `x-media-target`. */
  readonly apiUrl: string;
  readonly seed: number;
  /** The present, in milliseconds since 1970; hand it to the service if time is virtual. */
  readonly now: () => number;
  /** For what is to happen at a time of its own. */
  readonly timeline: Pick<Timeline, "time" | "after">;
  /** All answered or lost requests, the oldest first; empty if records are not kept. */
  readonly sent: readonly SentRequest[];
  /** All calls of its API that were understood, the oldest first; empty if records are not kept. */
  readonly apiCalls: readonly AnsweredApiCall[];
  /** What it has sent so far, in numbers. */
  readonly sums: Readonly<MediaSums>;
  /** How many are connected now. */
  readonly connections: number;
  /**
   * Lets a client try to connect: asks the intake, and sends `connection.created` if it is allowed.
   *
   * @example
   * const client = await media.connect({ channelId: "lobby@demo", role: "sendonly", accessToken });
   * if (client.allowed) await client.disconnect();
   */
  connect(options: ConnectOptions): Promise<Client>;
  /** Sends `connection.failed`: a connection could not be made. */
  fail(options?: FailOptions): Promise<void>;
  /** An event of any other kind; those that begin with `session.` go to `/session`. */
  emit(type: string, fields?: Json): Promise<void>;
  /** The node dies: all connections and sessions are gone, and only `session.vanished` is sent. */
  vanish(): Promise<void>;
  /** Lets time pass; in virtual time, runs what falls due. */
  pass(ms: number, signal?: AbortSignal): Promise<void>;
  /** Sends at once what is held back, and waits until everything that has begun is over. */
  settle(): Promise<void>;
  /** Ends all connections and sessions, settles, and closes; `abrupt` sends nothing more. */
  close(options?: { abrupt?: boolean }): Promise<void>;
}

/**
 * Starts a media server.
 *
 * @throws {TypeError} if the intake's URL is not a plain http:// URL.
 * @throws {RangeError} if another option is out of range.
 * @example
 * const media = await startFakeMedia({ intakeUrl: "http://127.0.0.1:8081/intake", intakeKey, seed: 7 });
 */
export async function startFakeMedia(options: FakeMediaOptions): Promise<FakeMedia> {
  const { intakeUrl, intakeKey, keyIn = "header", seed = 1, now = Date.now, time = "real" } = options;
  const { nodeName = "fake-media@127.0.0.1", misbehaviour = {}, sockets = 64, timeoutMs = 10_000 } = options;
  const { keepsRecords = true, apiPort = 0 } = options;
  checkMisbehaviour(misbehaviour);
  if (!Number.isInteger(sockets) || sockets < 1) throw new RangeError(`sockets is ${sockets}; it must be 1 or more.`);

  const isVirtual = time === "virtual";
  const timeline = isVirtual ? createVirtualTimeline() : createRealTimeline();
  const began = isVirtual ? now() : 0;
  const present = isVirtual ? () => began + timeline.time() : now;
  // One at a time in virtual time, so that the order of answers does not matter.
  const intake = new Intake({ intakeUrl, intakeKey, keyIn, sockets: isVirtual ? 1 : sockets, timeoutMs });
  const sent: SentRequest[] = [];
  const apiCalls: AnsweredApiCall[] = [];
  const sums = noSums();
  const stamp = createStamps(present);
  const identity = { version: "2026.1.0", label: "fake-media", node_name: nodeName };
  const onSent = (request: SentRequest): void => {
    if (keepsRecords) sent.push(request);
  };
  const courier = new Courier({ intake, timeline, stamp, seed, misbehaviour, identity, sums, onSent });
  const node = new Node({
    options: { ...options, seed },
    identity,
    intake,
    courier,
    timeline,
    now: present,
    stamp,
    sums,
    onSent,
  });
  const api = await startApi(node, apiPort, (call) => {
    if (keepsRecords) apiCalls.push(call);
  });

  let isClosed = false;
  let closing: Promise<void> | undefined;

  async function settle(): Promise<void> {
    for (;;) {
      await node.quiet();
      const isMoved = [await timeline.hurry(), await courier.release()].includes(true);
      if (!isMoved && node.isQuiet) return;
    }
  }

  async function close(): Promise<void> {
    // A client that is being let in connects first, and is then disconnected.
    await node.quiet();
    await node.disconnectAll();
    await settle();
    timeline.stop();
    intake.close();
    await api.close();
  }

  function breakOff(): void {
    node.forget();
    timeline.stop();
    intake.abort();
  }

  return {
    apiUrl: api.url,
    seed,
    now: present,
    timeline,
    sent,
    apiCalls,
    sums,
    get connections() {
      return node.channels.connections;
    },
    connect: async (client) => (isClosed ? refuse("The media server is closed.") : node.connect(client)),
    fail: (failure = {}) => node.fail(failure),
    emit: (type, fields = {}) => node.emit(type, fields),
    vanish: () => node.vanish(),
    pass: (ms, signal) => timeline.pass(ms, signal),
    settle,
    close: ({ abrupt = false } = {}) => {
      isClosed = true;
      if (abrupt) breakOff();
      closing ??= close();
      return closing;
    },
  };
}
