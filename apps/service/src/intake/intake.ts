import type { AuthAnswer, AuthRequest, EventAnswer, SessionAnswer } from "@media-ops/contract";
import type { ClockGuard, Committer } from "@media-ops/database";
import { splitChannelId } from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import type { Gatekeeper } from "../admission/gatekeeper.js";
import { periodOf, RefusedClients, type RefusedFacts } from "../admission/refused-clients.js";
import { NEWER_BY_MS, type Seats } from "../admission/seats.js";
import type { Deliverer } from "../deliveries/deliverer.js";
import type { NewDelivery } from "../deliveries/delivery.js";
import type { Relay } from "../deliveries/relay.js";
import { bodyValidator } from "../http/operations.js";
import type { EventFields } from "../logs/log-store.js";
import type { Metrics } from "../metrics.js";
import { redact } from "../secrets/redact.js";
import type { Storage } from "../storage/open-storage.js";
import type { KnownProject, ProjectBook } from "../webhooks/project-book.js";
import { type EventOrigin, type ReadEvent, readEvent } from "./events.js";
import { type EventEffects, type IntakeStore, projectOf } from "./intake-store.js";

interface WebhookBody {
  readonly text: string;
  readonly value: unknown;
}

interface IntakeDependencies {
  readonly storage: Pick<Storage, "groupCommit">;
  readonly book: ProjectBook;
  readonly gatekeeper: Gatekeeper;
  readonly seats: Seats;
  readonly relay: Relay;
  readonly store: IntakeStore;
  readonly deliverer: Deliverer;
  readonly metrics: Metrics;
  readonly clock: ClockGuard;
  onSettled(error: unknown): void;
  now(): number;
}

// While the database writes one commit, the next one is collected, and the requests of the previous one are answered.
const COMMITS_AT_ONCE = 4;

// Together they use some 10 MB.
const MAX_ALIVE = 100_000;

interface EventOwner extends Pick<EventOrigin, "channelId" | "client"> {
  readonly project: KnownProject;
}

const readAuth = bodyValidator<AuthRequest>("intake.yaml#/components/schemas/AuthRequest");

/** Handles the media server's webhooks. Every method throws a refusal if the body is not valid. */
export class Intake {
  readonly #options: IntakeDependencies;
  /** Connections whose last report was written recently: for a while, further reports are not written. */
  readonly #alive = new LRUCache<string, { readonly channelId: string; readonly writtenAt: number }>({
    // With `max`, it would reserve the memory for all of them at once.
    maxSize: MAX_ALIVE,
    sizeCalculation: () => 1,
  });

  readonly #refusedClients: RefusedClients;
  #writtenAt: number | undefined;

  readonly #commits: Committer<EventEffects, readonly string[]>;

  constructor(options: IntakeDependencies) {
    this.#options = options;
    this.#refusedClients = new RefusedClients(options.now);
    this.#commits = options.storage.groupCommit({
      keyOf: projectOf,
      commit: (effects) => this.#commit(effects),
      onSettled: options.onSettled,
      together: COMMITS_AT_ONCE,
    });
  }

  async auth({ text, value }: WebhookBody): Promise<AuthAnswer> {
    const { book, gatekeeper, relay, metrics } = this.#options;
    const request = readAuth(value);
    const projectId = projectIdIn(request.channel_id);
    const project = projectId === undefined ? undefined : await book.find(projectId);
    if (!project) {
      metrics.unknownProject.labels("auth").inc();
      const signer = await gatekeeper.signerOf(request);
      // Its owner mistyped the channel, or its clients use a channel that was deleted.
      if (signer) await this.#record(signer.projectId, request, { reason: "unknown-project", ...signer.names });
      return { allowed: false, reason: "The channel belongs to no project of this service." };
    }
    const decision = await gatekeeper.decide(project, request);
    if (!decision.allowed) {
      await this.#record(project.projectId, request, decision.facts);
      return { allowed: false, reason: decision.reason };
    }
    const { auth: webhook } = project.webhooks;
    const answer = webhook ? await relay.auth(webhook, text) : { allowed: true };
    if (!answer.allowed) {
      await gatekeeper.release(project.projectId, request);
      await this.#record(project.projectId, request, { reason: "own-address", detail: answer.reason });
      return answer;
    }
    const revoked = await gatekeeper.confirm(project.projectId, request);
    if (revoked) {
      await this.#record(project.projectId, request, revoked.facts);
      return { allowed: false, reason: revoked.reason };
    }
    metrics.admissions.labels("allowed").inc();
    return answer;
  }

  async #record(projectId: string, request: AuthRequest, facts: RefusedFacts): Promise<void> {
    const { metrics, now } = this.#options;
    const { channel_id, connection_id, client_id, bundle_id, role, node_name } = request;
    metrics.admissions.labels(facts.reason).inc();
    metrics.troubled(projectId, "refused", facts.reason);
    // The facts contain what a token says, and the answer of the project's own address.
    const fields: EventFields = {
      timestamp: request.timestamp ?? new Date(now()).toISOString(),
      type: "admission.refused",
      channel_id,
      connection_id,
      client_id,
      bundle_id,
      role,
      node_name,
      outcome: "refused",
      ...facts,
    };
    await this.#commits.add(this.#refusedClients.take(projectId, JSON.parse(redact(JSON.stringify(fields)))));
  }

  async session({ text, value }: WebhookBody): Promise<SessionAnswer> {
    const read = this.#read(value);
    const { id, type } = read.event;
    const owners = this.#knownOwners(read) ?? (await this.#findOwners("session", read));
    for (const owner of owners) await this.#write(owner, read);
    const answers = await Promise.all(
      owners.map(({ project: { webhooks } }) =>
        webhooks.session ? this.#options.relay.session(webhooks.session, { id, type, body: text }) : {},
      ),
    );
    // A vanished node leaves no session whose settings an answer could change.
    return owners.length === 1 ? (answers[0] ?? {}) : {};
  }

  async event({ text, value }: WebhookBody): Promise<EventAnswer> {
    const read = this.#read(value);
    const { id: eventId, type, connection_id, channel_id } = read.event;
    for (const owner of this.#knownOwners(read) ?? (await this.#findOwners("event", read))) {
      const { projectId, webhooks } = owner.project;
      const isOn = webhooks.event?.offAt === null;
      const lane = connection_id ?? channel_id ?? "";
      const written = this.#write(owner, read, isOn ? { projectId, eventId, type, lane, body: text } : undefined);
      if (written) await written;
    }
    return {};
  }

  /** Writes the entries that refused clients of earlier periods share. In a period, it works once. */
  async writeRefused(): Promise<void> {
    const period = periodOf(this.#options.now());
    if (period === this.#writtenAt) return;
    this.#writtenAt = period;
    await this.#options.store.writeRefused(period);
  }

  settled(): Promise<void> {
    return this.#commits.settled();
  }

  async #commit(effects: readonly EventEffects[]): Promise<readonly string[][]> {
    const { store, deliverer } = this.#options;
    const lease = deliverer.startLease();
    const { due, onNodes } = await store.write(effects);
    deliverer.wake(due, lease);
    return effects.map((one) => onNodes.get(one) ?? []);
  }

  #read(value: unknown): ReadEvent {
    const read = readEvent(value);
    const { timestamp } = read.event;
    if (timestamp !== undefined) this.#options.clock.note(timestamp);
    return read;
  }

  #write({ project, channelId, client }: EventOwner, { effectsIn }: ReadEvent, delivery?: NewDelivery) {
    const writtenAt = this.#options.now();
    const origin = { projectId: project.projectId, channelId, client, receivedAt: writtenAt };
    const { entries, failure, seats } = effectsIn(origin);
    const connected = seats?.kind === "connected" ? seats : undefined;
    const alive = connected && this.#alive.get(connected.connectionId);
    // After the clock was set, a report is written again.
    const isKnown =
      alive?.channelId === connected?.channelId && Math.abs(writtenAt - (alive?.writtenAt ?? 0)) < NEWER_BY_MS;
    if (!entries && !delivery && (!seats || isKnown)) return undefined;
    if (failure) this.#options.metrics.troubled(project.projectId, "failed", failure.reason);
    const stored = this.#commits.add({ entries, seats: isKnown ? undefined : seats, delivery });
    if (!connected || isKnown) return stored;
    return stored.then(() => {
      this.#alive.set(connected.connectionId, { channelId: connected.channelId, writtenAt });
    });
  }

  /** The owners of an event, if they can be determined without reading the database. */
  #knownOwners({ event: { channel_id: channelId }, nodeGone }: ReadEvent): EventOwner[] | undefined {
    if (nodeGone) return undefined;
    const projectId = channelId === undefined ? undefined : projectIdIn(channelId);
    const project = projectId === undefined ? undefined : this.#options.book.known(projectId);
    return project && [{ project, channelId }];
  }

  /** None, one, or several if a whole node has vanished. */
  async #findOwners(from: "session" | "event", read: ReadEvent): Promise<EventOwner[]> {
    const { book, metrics } = this.#options;
    const found = await Promise.all(
      (await this.#originsOf(read)).map(async ({ projectId, channelId, client }) => {
        const project = await book.find(projectId);
        return project ? [{ project, channelId, client }] : [];
      }),
    );
    const owners = found.flat();
    // A node without connections, or an event of a type that belongs to no project, validly has no owner.
    if (owners.length === 0 && read.event.channel_id !== undefined) metrics.unknownProject.labels(from).inc();
    return owners;
  }

  async #originsOf({
    event: { channel_id, connection_id },
    nodeGone,
  }: ReadEvent): Promise<Omit<EventOrigin, "receivedAt">[]> {
    // Added before the first await, so that it takes effect in the order of arrival.
    const onNode = nodeGone && (await this.#commits.add({ seats: nodeGone }));
    if (channel_id !== undefined) {
      const projectId = projectIdIn(channel_id);
      return projectId === undefined ? [] : [{ projectId, channelId: channel_id }];
    }
    if (onNode) return onNode.map((projectId) => ({ projectId, channelId: undefined }));
    return connection_id === undefined ? [] : this.#options.seats.ofConnection(connection_id);
  }
}

/** The part after the last `@`; undefined if the channel can't belong to a project. */
const projectIdIn = (channelId: string): string | undefined => splitChannelId(channelId)?.projectId;
