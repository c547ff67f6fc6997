import { startApi } from "./api.js";
import { Courier } from "./courier.js";
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

/** A media server in this process: without media, but with webhooks and an API. */
export type FakeMedia = Awaited<ReturnType<typeof startFakeMedia>>;

const CLOSED = "The media server is closed.";

/**
 * Starts a media server.
 *
 * @throws {TypeError} if the intake's URL is not a plain http:// URL.
 * @throws {RangeError} if another option is out of range.
 * @example
 * const media = await startFakeMedia({ intakeUrl: "http://127.0.0.1:8081/intake", intakeKey, seed: 7 });
 */
export async function startFakeMedia(options: FakeMediaOptions) {
  const settings = { ...defaults, ...options };
  const { sockets, seed, nodeName } = settings;
  checkMisbehaviour(settings.misbehaviour);
  if (!Number.isInteger(sockets) || sockets < 1) throw new RangeError(`sockets is ${sockets}; it must be 1 or more.`);

  const courier = new Courier(settings);
  const { now, timeline, sent, sums } = courier;
  const node = new Node(settings, courier);
  const api = await startApi(node, settings.apiPort);

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
    /** The URL of its API: `POST /` with the header `x-media-target`. */
    apiUrl: api.url,
    seed,
    /** The node of clients without their own. */
    nodeName,
    /** The current time, in milliseconds since 1970; pass it to the service if time is virtual. */
    now,
    /** Schedules actions at other times. */
    timeline,
    /** All answered or lost requests, oldest first; empty if records are not kept. */
    sent,
    /** The totals so far. */
    sums,
    /** The current number of connections. */
    get connections(): number {
      return node.connections().length;
    },
    /**
     * Connects a client: calls auth, and sends `connection.created` if it is allowed.
     *
     * @example
     * const client = await media.connect({ channelId: "lobby@demo", role: "sendonly", accessToken });
     * if (client.allowed) await client.disconnect();
     */
    connect: async (client: ConnectOptions): Promise<Client> => (isClosed ? refuse(CLOSED) : node.connect(client)),
    /** Calls auth for a client that then connects, or fails to. */
    admit: async (client: ConnectOptions): Promise<Admission> => (isClosed ? refuse(CLOSED) : node.admit(client)),
    /** Sends `connection.failed` without a call to auth: a connection could not be established. */
    fail: (failure: FailOptions = {}) => node.fail(failure),
    /** Sends an event of any other type; types that begin with `session.` go to `/session`. */
    emit: (type: string, fields: Json = {}) => node.emit(type, fields),
    /** Simulates the death of all nodes: connections and sessions are gone, and each sends only `session.vanished`. */
    vanish: () => node.vanish(),
    /** Lets time pass; in virtual time, runs the actions that are due. */
    pass: (ms: number, signal?: AbortSignal) => timeline.pass(ms, signal),
    /** Sends delayed events at once, and waits until everything is done. */
    settle,
    /** Ends all connections and sessions, settles, and closes; `abrupt` sends no more events. */
    close: ({ abrupt = false } = {}): Promise<void> => {
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
