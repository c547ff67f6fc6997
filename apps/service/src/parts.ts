import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { watchDatabase } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import { openFileLimit } from "@media-ops/settings/process";
import type { Logger } from "pino";
import { Gatekeeper } from "./admission/gatekeeper.js";
import { startBackgroundWork } from "./chores.js";
import { shareOpenFiles } from "./config/config.js";
import type { Surroundings } from "./config/surroundings.js";
import { Deliverer } from "./deliveries/deliverer.js";
import { Relay } from "./deliveries/relay.js";
import { Health, logChange } from "./health.js";
import { Intake } from "./intake/intake.js";
import { Quarantine } from "./intake/quarantine.js";
import { openKeyRing } from "./keys/api-keys.js";
import { IntakeKeyRing } from "./keys/intake-keys.js";
import { LogWriter } from "./logs/log-writer.js";
import { createClockGuard } from "./logs/retention.js";
import { createMetrics } from "./metrics.js";
import { openVault } from "./secrets/open-vault.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { openStores } from "./stores.js";
import { openRevocations } from "./tokens/revocations.js";
import { openSigningKeys } from "./tokens/signing-keys.js";
import { TokenChecker } from "./tokens/token-checker.js";
import { ProjectBook } from "./webhooks/project-book.js";
import { WebhookSender } from "./webhooks/sender.js";
import { EndpointHealth, switchOff, type Webhook } from "./webhooks/webhooks.js";

/** The dependencies of the routes. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

const FLUSH_MS = 2500;

interface PartsOptions {
  /** The maximum number of connections to PostgreSQL. @default as in the database's URL */
  connections?: number | undefined;
  /** Called with the reason if the database becomes unusable, and without one if it can be used again. */
  onDatabaseChange?(fault: Error | undefined): void;
}

/** Opens the database and everything that works with it. */
export async function openParts(surroundings: Surroundings, { connections, onDatabaseChange }: PartsOptions = {}) {
  const { config, log } = surroundings;
  const { watcher, mustRestart } = watchDatabase(log);
  const storage = await openStorage(config.databaseUrl, {
    watcher: {
      ...watcher,
      changed(fault) {
        watcher.changed(fault);
        onDatabaseChange?.(fault);
      },
    },
    ...(connections !== undefined && { connections }),
  });
  try {
    // Resolves with the reason if the service must be restarted to use its database again.
    return { ...(await openOn(storage, surroundings)), mustRestart };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openOn(storage: Storage, surroundings: Surroundings) {
  const { config, log, now, elapsed } = surroundings;
  const { query } = storage;
  const vault = await openVault(config, query, (text) => log.warn(text));
  const known = await openKnown(storage, vault, log);
  const { book, revocations } = known;
  const stores = await openStores(storage, { owner: randomUUID(), now, elapsed });
  const { logs: store, seats, queue } = stores;
  const clock = createClockGuard({ storage, log, now });
  const writer = new LogWriter({
    commit: (batches) => store.write(batches),
    onChange: logChange(log, "log entries cannot be written; trying again", "log entries are written again"),
  });
  const metrics = createMetrics(writer, clock, storage.file);
  const health = new Health(
    logChange(log, "the media server's webhooks cannot be stored", "the media server's webhooks are stored again"),
  );
  const onSettled = health.note;

  const onGone = async (webhook: Webhook): Promise<void> => {
    const { projectId, kind } = webhook;
    await switchOff(query, { ...webhook, reason: "the receiver answered 410 Gone", now: now() });
    await book.refresh();
    log.warn({ project_id: projectId }, `the project's ${kind} address answered 410 Gone, and is switched off`);
  };
  const endpoints = new EndpointHealth({
    query,
    refresh: () => book.refresh(),
    onError: (error) => log.warn({ err: error }, "the state of a webhook address could not be written"),
  });
  const newSender = (): WebhookSender =>
    new WebhookSender({ vault, allowPrivate: config.allowPrivateWebhooks, health: endpoints, now });
  // Each has its own connections, so that a request that awaits an answer never queues behind events.
  const senders = { events: newSender(), requests: newSender() };
  const deliverer = new Deliverer({
    ...{ storage, queue, book, log, now, elapsed, onGone, onSettled },
    sender: senders.events,
    atOnce: shareOpenFiles(openFileLimit(), config).deliveries,
    onTried: ({ state }) => metrics.deliveries.labels(state).inc(),
  });
  const relay = new Relay({ sender: senders.requests, writer, onGone });

  const gatekeeper = new Gatekeeper({ checker: new TokenChecker({ ...known, vault, now }), seats, storage, onSettled });
  const intake = new Intake({
    ...{ storage, seats, gatekeeper, relay, deliverer, metrics, clock, onSettled, now, book },
    store: stores.intake,
  });
  const stopWork = startBackgroundWork({ storage, stores, revocations, intake, clock, log });
  return {
    ...surroundings,
    ...known,
    ...{ storage, vault, store, writer, metrics, clock, intake, health },
    intakeKeys: new IntakeKeyRing(query, elapsed),
    quarantine: new Quarantine(query),
    /** Writes all pending entries, and closes the database. */
    async close(): Promise<void> {
      for (const one of Object.values(known)) one.close();
      await stopWork();
      try {
        await intake.settled();
        await deliverer.stop();
        for (const sender of Object.values(senders)) sender.close();
        await Promise.race([writer.flush(), failAfter(FLUSH_MS, "writing the last log entries took too long")]);
      } finally {
        writer.close();
        await storage.close();
      }
    },
  };
}

/** Opens what is kept in memory, and read again when other processes change it. */
async function openKnown({ query }: Storage, vault: Vault, log: Logger) {
  const told = (what: string, meanwhile: string) =>
    logChange(log, `${what} cannot be read; ${meanwhile}`, `${what} are read again`);
  return {
    keys: await openKeyRing(query, told("the API keys", "known keys keep working")),
    signingKeys: await openSigningKeys(query, vault, told("the signing keys", "known keys keep working")),
    revocations: await openRevocations(
      query,
      told("revoked tokens", "clients with tokens are not admitted until then"),
    ),
    book: await ProjectBook.open(query, told("the projects", "known projects keep working")),
  };
}

async function failAfter(ms: number, message: string): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw new Error(message);
}
