import { startApi } from "./api.js";
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
  type Settings,
} from "./options.js";
import type { Timeline } from "./timeline.js";

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
  const { sockets, misbehaviour, apiPort } = settings;
  checkMisbehaviour(misbehaviour);
  if (!Number.isInteger(sockets) || sockets < 1) throw new RangeError(`sockets is ${sockets}; it must be 1 or more.`);
  const courier = new Courier(settings);
  const node = new Node(settings, courier);
  return new FakeMedia(settings, courier, node, await startApi(node, apiPort));
}

/** A media server in this process: without media, but with webhooks and an API. */
export class FakeMedia {
  /** The URL of its API: `POST /` with the header `x-media-target`. */
  readonly apiUrl: string;
  readonly seed: number;
  /** The node of clients without their own. */
  readonly nodeName: string;
  /** The current time, in milliseconds since 1970; pass it to the service if time is virtual. */
  readonly now: () => number;
  /** Schedules actions at other times. */
  readonly timeline: Timeline;
  /** All answered or lost requests, oldest first; empty if records are not kept. */
  readonly sent: readonly SentRequest[];
  /** The totals so far. */
  readonly sums: Readonly<MediaSums>;
  readonly #courier: Courier;
  readonly #node: Node;
  readonly #closeApi: () => Promise<void>;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor({ seed, nodeName }: Settings, courier: Courier, node: Node, api: Awaited<ReturnType<typeof startApi>>) {
    this.apiUrl = api.url;
    this.seed = seed;
    this.nodeName = nodeName;
    this.now = courier.now;
    this.timeline = courier.timeline;
    this.sent = courier.sent;
    this.sums = courier.sums;
    this.#courier = courier;
    this.#node = node;
    this.#closeApi = api.close;
  }

  /** The current number of connections. */
  get connections(): number {
    return this.#node.connections().length;
  }

  /**
   * Connects a client: calls auth, and sends `connection.created` if it is allowed.
   *
   * @example
   * const client = await media.connect({ channelId: "lobby@demo", role: "sendonly", accessToken });
   * if (client.allowed) await client.disconnect();
   */
  async connect(client: ConnectOptions): Promise<Client> {
    return this.#isClosed ? refuse(CLOSED) : this.#node.connect(client);
  }

  /** Calls auth for a client that then connects, or fails to. */
  async admit(client: ConnectOptions): Promise<Admission> {
    return this.#isClosed ? refuse(CLOSED) : this.#node.admit(client);
  }

  /** Sends `connection.failed` without a call to auth: a connection could not be established. */
  fail(failure: FailOptions = {}): Promise<void> {
    return this.#node.fail(failure);
  }

  /** Sends an event of any other type; types that begin with `session.` go to `/session`. */
  emit(type: string, fields: Json = {}): Promise<void> {
    return this.#node.emit(type, fields);
  }

  /** Simulates the death of all nodes: connections and sessions are gone, and each sends only `session.vanished`. */
  vanish(): Promise<void> {
    return this.#node.vanish();
  }

  /** Lets time pass; in virtual time, runs the actions that are due. */
  pass(ms: number, signal?: AbortSignal): Promise<void> {
    return this.timeline.pass(ms, signal);
  }

  /** Sends delayed events at once, and waits until everything is done. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#node.quiet();
      const isMoved = [await this.timeline.hurry(), await this.#courier.release()].includes(true);
      if (!isMoved && this.#node.isQuiet) return;
    }
  }

  /** Ends all connections and sessions, settles, and closes; `abrupt` sends no more events. */
  close({ abrupt = false } = {}): Promise<void> {
    this.#isClosed = true;
    if (abrupt) {
      this.#node.forget();
      this.#courier.close({ abrupt });
    }
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A client that is connecting finishes first, and is then disconnected.
    await this.#node.quiet();
    await this.#node.disconnectAll();
    await this.settle();
    this.#courier.close();
    await this.#closeApi();
  }
}
