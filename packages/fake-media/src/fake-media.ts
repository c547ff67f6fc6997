import { type AnsweredApiCall, startApi } from "./api.js";
import { Courier, type MediaSums, type SentRequest } from "./courier.js";
import { refuse } from "./intake.js";
import { type Admission, type Client, Node } from "./node.js";
import {
  type ConnectOptions,
  checkMisbehaviour,
  defaults,
  type FailOptions,
  type FakeMediaOptions,
  type Json,
} from "./options.js";
import type { Timeline } from "./timeline.js";

/** A media server in this process: without media, but with webhooks and an API. */
export interface FakeMedia {
  /** The URL of its API: `POST /` with the header `x-media-target`. */
  readonly apiUrl: string;
  readonly seed: number;
  /** The node of clients without their own. */
  readonly nodeName: string;
  /** The current time, in milliseconds since 1970; pass it to the service if time is virtual. */
  readonly now: () => number;
  /** Schedules actions at other times. */
  readonly timeline: Pick<Timeline, "time" | "after">;
  /** All answered or lost requests, oldest first; empty if records are not kept. */
  readonly sent: readonly SentRequest[];
  /** All valid calls of its API, oldest first; empty if records are not kept. */
  readonly apiCalls: readonly AnsweredApiCall[];
  /** The totals so far. */
  readonly sums: Readonly<MediaSums>;
  /** The current number of connections. */
  readonly connections: number;
  /**
   * Connects a client: calls auth, and sends `connection.created` if it is allowed.
   *
   * @example
   * const client = await media.connect({ channelId: "lobby@demo", role: "sendonly", accessToken });
   * if (client.allowed) await client.disconnect();
   */
  connect(options: ConnectOptions): Promise<Client>;
  /** Calls auth for a client that then connects, or fails to. */
  admit(options: ConnectOptions): Promise<Admission>;
  /** Sends `connection.failed` without a call to auth: a connection could not be established. */
  fail(options?: FailOptions): Promise<void>;
  /** Sends an event of any other type; types that begin with `session.` go to `/session`. */
  emit(type: string, fields?: Json): Promise<void>;
  /** Simulates the death of all nodes: connections and sessions are gone, and each sends only `session.vanished`. */
  vanish(): Promise<void>;
  /** Lets time pass; in virtual time, runs the actions that are due. */
  pass(ms: number, signal?: AbortSignal): Promise<void>;
  /** Sends delayed events at once, and waits until everything is done. */
  settle(): Promise<void>;
  /** Ends all connections and sessions, settles, and closes; `abrupt` sends no more events. */
  close(options?: { abrupt?: boolean }): Promise<void>;
}

const CLOSED = "The media server is closed.";

/**
 * Starts a media server.
 *
 * @throws {TypeError} if the intake's URL is not a plain http:// URL.
 * @throws {RangeError} if another option is out of range.
 * @example
 * const media = await startFakeMedia({ intakeUrl: "http://127.0.0.1:8081/intake", intakeKey, seed: 7 });
 */
export async function startFakeMedia(options: FakeMediaOptions): Promise<FakeMedia> {
  const settings = { ...defaults, ...options };
  const { sockets, seed, nodeName } = settings;
  checkMisbehaviour(settings.misbehaviour);
  if (!Number.isInteger(sockets) || sockets < 1) throw new RangeError(`sockets is ${sockets}; it must be 1 or more.`);

  const courier = new Courier(settings);
  const { now, timeline, sent, sums } = courier;
  const node = new Node(settings, courier);
  const apiCalls: AnsweredApiCall[] = [];
  const api = await startApi(node, settings.apiPort, (call) => {
    if (settings.keepsRecords) apiCalls.push(call);
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
    // A client that is connecting finishes first, and is then disconnected.
    await node.quiet();
    await node.disconnectAll();
    await settle();
    courier.close();
    await api.close();
  }

  return {
    apiUrl: api.url,
    seed,
    nodeName,
    now,
    timeline,
    sent,
    apiCalls,
    sums,
    get connections() {
      return node.connections().length;
    },
    connect: async (client) => (isClosed ? refuse(CLOSED) : node.connect(client)),
    admit: async (client) => (isClosed ? refuse(CLOSED) : node.admit(client)),
    fail: (failure = {}) => node.fail(failure),
    emit: (type, fields = {}) => node.emit(type, fields),
    vanish: () => node.vanish(),
    pass: (ms, signal) => timeline.pass(ms, signal),
    settle,
    close: ({ abrupt = false } = {}) => {
      isClosed = true;
      if (abrupt) {
        node.forget();
        courier.close({ abrupt });
      }
      closing ??= close();
      return closing;
    },
  };
}
