import { type ClockGuard, GroupCommit } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import { Gatekeeper } from "../admission/gatekeeper.js";
import { TokenCheck } from "../admission/token-check.js";
import type { Surroundings } from "../config/surroundings.js";
import { Deliverer } from "../deliveries/deliverer.js";
import { LEASE_MS, startLease } from "../deliveries/delivery-queue.js";
import { Relay } from "../deliveries/relay.js";
import { IntakeKeyRing } from "../keys/intake-key-ring.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { LogWriter } from "../logs/log-writer.js";
import type { Metrics } from "../metrics.js";
import { Health, logChange } from "../storage/health.js";
import type { Chore } from "../storage/housekeeping.js";
import type { Storage } from "../storage/open-storage.js";
import type { Stores } from "../storage/stores.js";
import { Courier, WebhookSecrets } from "../webhooks/courier.js";
import { ProjectBook } from "../webhooks/project-book.js";
import { WebhookSender } from "../webhooks/sender.js";
import { switchOff, type Webhook } from "../webhooks/webhooks.js";
import { Intake } from "./intake.js";
import type { Taken } from "./intake-store.js";
import { Quarantine } from "./quarantine.js";

/** What the intake works with. */
export interface IntakeSurroundings extends Surroundings {
  readonly storage: Storage;
  readonly stores: Stores;
  readonly vault: Vault;
  readonly keys: KeyRing;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  readonly clock: ClockGuard;
  /** How many deliveries may be under way. */
  readonly deliveriesAtOnce: number;
}

/** What the media server's webhooks go through. */
export interface IntakeParts {
  readonly intake: Intake;
  readonly intakeKeys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  /** Whether what comes in can be kept. */
  readonly health: Health;
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
// The database writes one while the next comes together and the answers to the one before are given.
const COMMITS_AT_ONCE = 4;
const NO_PROJECTS: readonly string[] = [];

export async function openIntake(surroundings: IntakeSurroundings): Promise<IntakeParts> {
  const { config, log, now, elapsed, storage, stores, vault, keys, writer, metrics, clock } = surroundings;
  const { query } = storage;
  const { seats, queue } = stores;
  const book = await ProjectBook.open(
    query,
    logChange(log, "the projects cannot be read; those that are known stay known", "the projects are read again"),
  );
  const health = new Health(
    logChange(log, "what the media server sends cannot be written", "what the media server sends is written again"),
  );
  const onSettled = (error: unknown): void => health.note(error);

  const onGone = async (webhook: Webhook): Promise<void> => {
    const { projectId, kind } = webhook;
    await switchOff(query, { ...webhook, reason: "the receiver answered 410 Gone", now: now() });
    await book.refresh();
    log.warn({ project_id: projectId }, `the project's ${kind} address answered 410 Gone, and is switched off`);
  };
  const secrets = new WebhookSecrets(vault);
  // Each has connections of its own: nobody who waits for an answer waits behind events.
  const newSender = (): WebhookSender => new WebhookSender({ allowPrivate: config.allowPrivateWebhooks, now });
  const senders = { relay: newSender(), events: newSender() };

  const deliverer = new Deliverer({
    queue,
    book,
    atOnce: surroundings.deliveriesAtOnce,
    courier: new Courier({ sender: senders.events, secrets, now }),
    log,
    now,
    elapsed,
    onTried: ({ state }) => metrics.deliveries.labels(state).inc(),
    onGone,
    onSettled,
  });
  const store = new GroupCommit<Taken, readonly string[]>({
    async commit(taken) {
      const lease = startLease(surroundings, LEASE_MS);
      const { due, onNodes } = await stores.intake.take(taken);
      deliverer.wake(due, lease);
      return taken.map((one) => onNodes.get(one) ?? NO_PROJECTS);
    },
    onSettled,
    atOnce: COMMITS_AT_ONCE,
  });
  const intake = new Intake({
    book,
    gatekeeper: new Gatekeeper({ tokens: new TokenCheck({ keys, vault, now }), seats, storage, onSettled }),
    seats,
    relay: new Relay({ courier: new Courier({ sender: senders.relay, secrets, now }), writer, onGone }),
    store,
    metrics,
    now,
    onTimestamp: (timestamp) => clock.note(timestamp),
  });
  return {
    intake,
    intakeKeys: new IntakeKeyRing(query),
    quarantine: new Quarantine(query),
    health,
    chores: [
      {
        name: "forgetting places that have lapsed",
        everyMs: 30 * MINUTE_MS,
        work: async (signal) => seats.sweep(await clock.check(), signal),
      },
      {
        name: "looking for deliveries that a wrong clock has put off",
        everyMs: 10 * MINUTE_MS,
        work: (signal) => queue.bringForward(signal),
      },
      {
        name: "forgetting old deliveries",
        everyMs: 10 * MINUTE_MS,
        async work(signal) {
          const time = await clock.check();
          if (time !== undefined) await queue.sweep(time, signal);
        },
      },
    ],
    async close() {
      book.close();
      await store.settled();
      await deliverer.stop();
      for (const sender of Object.values(senders)) sender.close();
    },
  };
}
