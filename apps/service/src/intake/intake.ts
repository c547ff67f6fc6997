import type { GroupCommit } from "@media-ops/database";
import { splitChannelId } from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import type { Gatekeeper } from "../admission/gatekeeper.js";
import { NEWER_BY_MS, type Seats } from "../admission/seats.js";
import type { Relay } from "../deliveries/relay.js";
import type { AuthAnswer, AuthRequest, EventAnswer, SessionAnswer } from "../generated/intake.js";
import { bodyValidator } from "../http/validation.js";
import type { Metrics } from "../metrics.js";
import type { KnownProject, ProjectBook } from "../webhooks/project-book.js";
import type { Taken } from "./intake-store.js";
import { type Place, type ReadEvent, readEvent } from "./kinds.js";

/** What the media server sent: its text, and what stands in it. */
export interface Sent {
  readonly text: string;
  readonly value: unknown;
}

/** Options of {@link Intake}. */
export interface IntakeOptions {
  readonly book: ProjectBook;
  readonly gatekeeper: Gatekeeper;
  readonly seats: Seats;
  readonly relay: Relay;
  /** Writes what events leave behind. Gives for a vanished node the projects that had seats on it. */
  readonly store: GroupCommit<Taken, readonly string[]>;
  readonly metrics: Metrics;
  now(): number;
  /** Receives the media server's timestamps, by which the clock is checked. */
  onTimestamp(timestamp: string): void;
}

// Some ten million bytes.
const MAX_ALIVE = 100_000;

type Delivery = Taken["delivery"];

/** Where an event belongs to. */
interface Whose {
  readonly project: KnownProject;
  readonly channelId: string | undefined;
}

const readAuth = bodyValidator<AuthRequest>("intake.yaml#/components/schemas/AuthRequest");

/** Takes in what the media server sends. Every method throws a refusal for what is not in order. */
export class Intake {
  readonly #options: IntakeOptions;
  /** Connections that are known to be there: for a while, what says so again need not be written. */
  readonly #alive = new LRUCache<string, { readonly channelId: string; readonly writtenAt: number }>({
    max: MAX_ALIVE,
  });

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** A client wants to connect. */
  async auth({ text, value }: Sent): Promise<AuthAnswer> {
    const { book, gatekeeper, relay, metrics } = this.#options;
    const request = readAuth(value);
    const projectId = projectIdIn(request.channel_id);
    const project = projectId === undefined ? undefined : await book.find(projectId);
    if (!project) {
      metrics.unknownProject.labels("auth").inc();
      return { allowed: false, reason: "The channel belongs to no project of this service." };
    }
    const decision = await gatekeeper.decide(project, request);
    if (!decision.allowed) {
      metrics.admissions.labels(decision.rule).inc();
      return { allowed: false, reason: decision.reason };
    }
    const { auth: webhook } = project.webhooks;
    const answer = webhook ? await relay.auth(webhook, text) : { allowed: true };
    if (!answer.allowed) await gatekeeper.release(project.projectId, request);
    metrics.admissions.labels(answer.allowed ? "allowed" : "own-address").inc();
    return answer;
  }

  /** Something happened to a session. */
  async session({ text, value }: Sent): Promise<SessionAnswer> {
    const read = this.#read(value);
    const { id, type } = read.event;
    const known = this.#known(read);
    const whose = known ? [known] : await this.#whose("session", read);
    for (const one of whose) await this.#take(one, read);
    const answers = await Promise.all(
      whose.map(({ project: { webhooks } }) =>
        webhooks.session ? this.#options.relay.session(webhooks.session, { id, type, body: text }) : {},
      ),
    );
    // And there is no session whose settings an answer could change.
    return whose.length === 1 ? (answers[0] ?? {}) : {};
  }

  /** Something happened to a connection, or to anything else. */
  async event({ text, value }: Sent): Promise<EventAnswer> {
    const read = this.#read(value);
    const { id: eventId, type, connection_id, channel_id } = read.event;
    const known = this.#known(read);
    for (const whose of known ? [known] : await this.#whose("event", read)) {
      const { projectId, webhooks } = whose.project;
      const isOn = webhooks.event?.offAt === null;
      const lane = connection_id ?? channel_id ?? "";
      const taken = this.#take(whose, read, isOn ? { projectId, eventId, type, lane, body: text } : undefined);
      if (taken) await taken;
    }
    return {};
  }

  #read(value: unknown): ReadEvent {
    const read = readEvent(value);
    const { timestamp } = read.event;
    if (timestamp !== undefined) this.#options.onTimestamp(timestamp);
    return read;
  }

  /** Keeps what an event leaves behind; undefined where that is nothing. */
  #take({ project, channelId }: Whose, { effectsIn }: ReadEvent, delivery?: Delivery): Promise<unknown> | undefined {
    const { projectId } = project;
    const { entry, seats } = effectsIn({ projectId, channelId });
    const connected = seats?.kind === "connected" ? seats : undefined;
    const now = this.#options.now();
    const known = connected && this.#alive.get(connected.connectionId);
    // What was written by a clock that has been set since is written anew.
    const isKnown = known?.channelId === connected?.channelId && Math.abs(now - (known?.writtenAt ?? 0)) < NEWER_BY_MS;
    if (!entry && !delivery && (!seats || isKnown)) return undefined;
    const stored = this.#options.store.add({ entry, seats: isKnown ? undefined : seats, delivery });
    if (!connected || isKnown) return stored;
    const { connectionId, channelId: connectedTo } = connected;
    return stored.then(() => void this.#alive.set(connectionId, { channelId: connectedTo, writtenAt: now }));
  }

  /** Whose an event is, where no question to the database is needed. */
  #known({ event: { channel_id: channelId }, nodeGone }: ReadEvent): Whose | undefined {
    if (nodeGone) return undefined;
    const projectId = channelId === undefined ? undefined : projectIdIn(channelId);
    const project = projectId === undefined ? undefined : this.#options.book.known(projectId);
    return project && { project, channelId };
  }

  /** Whose an event is: nobody's, a project's, or several projects' where a whole node is gone. */
  async #whose(from: "session" | "event", read: ReadEvent): Promise<Whose[]> {
    const { book, metrics } = this.#options;
    const places = await this.#placesOf(read);
    const found = await Promise.all(
      places.map(async ({ projectId, channelId }) => ({ project: await book.find(projectId), channelId })),
    );
    const whose = found.flatMap(({ project, channelId }) => (project ? [{ project, channelId }] : []));
    // What names no channel may well be of nobody: a node without connections, or a kind that is about none.
    if (whose.length === 0 && read.event.channel_id !== undefined) metrics.unknownProject.labels(from).inc();
    return whose;
  }

  async #placesOf({ event: { channel_id, connection_id }, nodeGone }: ReadEvent): Promise<Place[]> {
    const { seats, store } = this.#options;
    // Before anything is waited for, so that it takes effect in the order in which it arrived.
    const onNode = nodeGone && (await store.add({ seats: nodeGone }));
    if (channel_id !== undefined) {
      const projectId = projectIdIn(channel_id);
      return projectId === undefined ? [] : [{ projectId, channelId: channel_id }];
    }
    if (onNode) return onNode.map((projectId) => ({ projectId, channelId: undefined }));
    return connection_id === undefined ? [] : seats.ofConnection(connection_id);
  }
}

/** What follows the last `@`; undefined where the channel can be no project's. */
function projectIdIn(channelId: string): string | undefined {
  return splitChannelId(channelId)?.projectId;
}
