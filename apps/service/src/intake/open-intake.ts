import { type ClockGuard, GroupCommit } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import { Gatekeeper } from "../admission/gatekeeper.js";
import { TokenCheck } from "../admission/token-check.js";
import type { Chore } from "../chores.js";
import type { Surroundings } from "../config/surroundings.js";
import { Deliverer } from "../deliveries/deliverer.js";
import { LEASE_MS } from "../deliveries/delivery-queue.js";
import { startLease } from "../deliveries/project-queue.js";
import { Relay } from "../deliveries/relay.js";
import { Health, logChange } from "../health.js";
import { IntakeKeyRing } from "../keys/intake-keys.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { LogWriter } from "../logs/log-writer.js";
import type { Metrics } from "../metrics.js";
import type { Storage } from "../storage/open-storage.js";
import type { Stores } from "../stores.js";
import { Courier, WebhookSecrets } from "../webhooks/courier.js";
import { ProjectBook } from "../webhooks/project-book.js";
import { WebhookSender } from "../webhooks/sender.js";
import { switchOff, type Webhook } from "../webhooks/webhooks.js";
import { Intake } from "./intake.js";
import type { EventEffects } from "./intake-store.js";
import { Quarantine } from "./quarantine.js";

/** What the intake needs. */
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

/** What handles the media server's webhooks. */
export interface IntakeParts {
  readonly intake: Intake;
  readonly intakeKeys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  /** Whether the database takes what the media server sends. */
  readonly health: Health;
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
// While the database writes one commit, the next is collected, and the requests of the one before are answered.
const COMMITS_AT_ONCE = 4;

/** Opens the intake, and begins to deliver events. */
export async function openIntake(surroundings: IntakeSurroundings): Promise<IntakeParts> {
  const { config, log, now, elapsed, storage, stores, vault, keys, writer, metrics, clock } = surroundings;
  const { query } = storage;
  const { seats, queue } = stores;
  const health = new Health(
    logChange(log, "the media server's webhooks cannot be stored", "the media server's webhooks are stored again"),
  );
  const onSettled = (error: unknown): void => health.note(error);
  const book = await ProjectBook.open(
    query,
    logChange(log, "the projects cannot be read; known projects keep working", "the projects are read again"),
  );
  const onGone = async (webhook: Webhook): Promise<void> => {
    const { projectId, kind } = webhook;
    await switchOff(query, { ...webhook, reason: "the receiver answered 410 Gone", now: now() });
    await book.refresh();
    log.warn({ project_id: projectId }, `the project's ${kind} address answered 410 Gone, and is switched off`);
  };

  // The relay has its own connections, so that a request that awaits an answer never queues behind events.
  const secrets = new WebhookSecrets(vault);
  const newSender = (): WebhookSender => new WebhookSender({ allowPrivate: config.allowPrivateWebhooks, now });
  const relaySender = newSender();
  const eventSender = newSender();

  const deliverer = new Deliverer({
    queue,
    book,
    atOnce: surroundings.deliveriesAtOnce,
    courier: new Courier({ sender: eventSender, secrets, now }),
    log,
    now,
    elapsed,
    onTried: ({ state }) => metrics.deliveries.labels(state).inc(),
    onGone,
    onSettled,
  });
  const store = new GroupCommit<EventEffects, readonly string[]>({
    async commit(effects) {
      const lease = startLease(surroundings, LEASE_MS);
      const { due, onNodes } = await stores.intake.write(effects);
      deliverer.wake(due, lease);
      return effects.map((one) => onNodes.get(one) ?? []);
    },
    onSettled,
    atOnce: COMMITS_AT_ONCE,
  });
  const intake = new Intake({
    book,
    gatekeeper: new Gatekeeper({ tokens: new TokenCheck({ keys, vault, now }), seats, storage, onSettled }),
    seats,
    relay: new Relay({ courier: new Courier({ sender: relaySender, secrets, now }), writer, onGone }),
    store,
    metrics,
    now,
    onTimestamp: (timestamp) => clock.note(timestamp),
  });

  return {
    intake,
    intakeKeys: new IntakeKeyRing(query, elapsed),
    quarantine: new Quarantine(query),
    health,
    chores: [
      {
        name: "deleting expired seats",
        everyMs: 30 * MINUTE_MS,
        run: async (signal) => seats.sweep(await clock.check(), signal),
      },
      {
        name: "rescheduling deliveries that a wrong clock has put off",
        everyMs: 10 * MINUTE_MS,
        run: (signal) => queue.bringForward(signal),
      },
      {
        name: "deleting old deliveries",
        everyMs: 10 * MINUTE_MS,
        async run(signal) {
          const time = await clock.check();
          if (time !== undefined) await queue.sweep(time, signal);
        },
      },
    ],
    async close() {
      book.close();
      await store.settled();
      await deliverer.stop();
      for (const sender of [relaySender, eventSender]) sender.close();
    },
  };
}
