import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type ClockGuard, watchDatabase } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import { openFileLimit } from "@media-ops/settings/process";
import { Gatekeeper } from "./admission/gatekeeper.js";
import { sweepAudit } from "./audit/audit.js";
import { type Chore, startChores } from "./chores.js";
import { type OpenFileShares, shareOpenFiles } from "./config/share-open-files.js";
import type { Surroundings } from "./config/surroundings.js";
import { Deliverer } from "./deliveries/deliverer.js";
import { Relay } from "./deliveries/relay.js";
import { Health, logChange } from "./health.js";
import { Intake } from "./intake/intake.js";
import { Quarantine } from "./intake/quarantine.js";
import { KeyRing } from "./keys/api-keys.js";
import { IntakeKeyRing } from "./keys/intake-keys.js";
import { listingCacheBytes } from "./logs/cached-listings.js";
import { expiredBefore, type LogStore } from "./logs/log-store.js";
import { LogWriter } from "./logs/log-writer.js";
import { createClockGuard } from "./logs/retention.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { dropSegments } from "./search/log-indexer.js";
import { openVault } from "./secrets/open-vault.js";
import { compactDays } from "./storage/compact-days.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { openStores } from "./stores.js";
import { sweepTokens } from "./tokens/issued-tokens.js";
import { Revocations, sweepRevocations } from "./tokens/revocations.js";
import { SigningKeys } from "./tokens/signing-keys.js";
import { TokenChecker } from "./tokens/token-checker.js";
import { ProjectBook } from "./webhooks/project-book.js";
import { WebhookSender } from "./webhooks/sender.js";
import { EndpointHealth, switchOff, type Webhook } from "./webhooks/webhooks.js";

/** The dependencies of the routes. */
export interface Parts extends Surroundings {
  readonly storage: Storage;
  readonly keys: KeyRing;
  readonly signingKeys: SigningKeys;
  readonly revocations: Revocations;
  readonly vault: Vault;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Decides the time up to which data may be deleted. */
  readonly clock: ClockGuard;
  readonly openFiles: OpenFileShares;
  readonly intake: Intake;
  readonly intakeKeys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  /** Whether the database accepts the media server's events. */
  readonly health: Health;
  /** Resolves with the reason if the service must be restarted to use its database again. */
  readonly mustRestart: Promise<Error>;
  /** Writes all pending entries, and closes the database. */
  close(): Promise<void>;
}

const FLUSH_MS = 2500;
const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// How late the entries are that the refused clients of a period share.
const REFUSED_MS = 500;

interface PartsOptions {
  /** The maximum number of connections to PostgreSQL. @default as in the database's URL */
  connections?: number | undefined;
  /** Called with the reason if the database becomes unusable, and without one if it can be used again. */
  onDatabaseChange?(fault: Error | undefined): void;
}

/** Opens the database and everything that works with it. */
export async function openParts(surroundings: Surroundings, options: PartsOptions = {}): Promise<Parts> {
  const { config, log } = surroundings;
  const { watcher, mustRestart } = watchDatabase(log);
  const storage = await openStorage(config.databaseUrl, {
    watcher: {
      ...watcher,
      changed(fault) {
        watcher.changed(fault);
        options.onDatabaseChange?.(fault);
      },
    },
    ...(options.connections !== undefined && { connections: options.connections }),
  });
  try {
    return { ...(await openOn(storage, surroundings)), mustRestart };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openOn(storage: Storage, surroundings: Surroundings): Promise<Omit<Parts, "mustRestart">> {
  const { config, log, now, elapsed } = surroundings;
  const { query, file } = storage;
  const openFiles = shareOpenFiles(openFileLimit(), config);
  const vault = await openVault(config, query, (text) => log.warn(text));
  const keys = await KeyRing.open(
    query,
    logChange(log, "the API keys cannot be read; known keys keep working", "the API keys are read again"),
  );
  const signingKeys = await SigningKeys.open(
    query,
    vault,
    logChange(log, "the signing keys cannot be read; known keys keep working", "the signing keys are read again"),
  );
  const revocations = await Revocations.open(
    query,
    logChange(
      log,
      "revoked tokens cannot be read; clients with tokens are not admitted until then",
      "revoked tokens are read again",
    ),
  );
  const stores = await openStores(storage, { owner: randomUUID(), now, elapsed }, listingCacheBytes(config));
  const { logs: store, seats, queue } = stores;
  const clock = createClockGuard({ storage, log, now });
  const writer = new LogWriter({
    commit: (entries, batch) => store.append(entries, batch),
    onChange: logChange(log, "log entries cannot be written; it is tried again", "log entries are written again"),
  });
  const metrics = createMetrics(writer, clock, file);
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

  const health = new Health(
    logChange(log, "the media server's webhooks cannot be stored", "the media server's webhooks are stored again"),
  );
  const onSettled = health.note;
  // The relay has its own connections, so that a request that awaits an answer never queues behind events.
  const endpointHealth = new EndpointHealth({
    query,
    refresh: () => book.refresh(),
    onError: (error) => log.warn({ err: error }, "the state of a webhook address could not be written"),
  });
  const newSender = (): WebhookSender =>
    new WebhookSender({ vault, allowPrivate: config.allowPrivateWebhooks, health: endpointHealth, now });
  const relaySender = newSender();
  const eventSender = newSender();
  const deliverer = new Deliverer({
    storage,
    queue,
    book,
    atOnce: openFiles.deliveries,
    sender: eventSender,
    log,
    now,
    elapsed,
    onTried: ({ state }) => metrics.deliveries.labels(state).inc(),
    onGone,
    onSettled,
  });
  const intake = new Intake({
    storage,
    book,
    gatekeeper: new Gatekeeper({
      checker: new TokenChecker({ keys, signingKeys, revocations, vault, now }),
      seats,
      storage,
      onSettled,
    }),
    seats,
    relay: new Relay({ sender: relaySender, writer, onGone }),
    store: stores.intake,
    deliverer,
    metrics,
    clock,
    onSettled,
    now,
  });

  const chores: Chore[] = [
    {
      name: "deleting expired log entries",
      everyMs: 60 * MINUTE_MS,
      async run(signal) {
        const time = await clock.check();
        const deleted = await store.runRetention(time, signal);
        if (deleted !== undefined) log.info(deleted);
        await dropSegments(storage, expiredBefore(time), signal);
      },
    },
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
      name: "deleting records of tokens that have ended",
      everyMs: 60 * MINUTE_MS,
      async run(signal) {
        const time = await clock.check();
        await sweepTokens(query, time, signal);
        await sweepRevocations(query, time - DAY_MS, signal);
        revocations.forget(time - DAY_MS);
        await sweepAudit(query, time);
      },
    },
    {
      name: "deleting old deliveries",
      everyMs: 10 * MINUTE_MS,
      run: async (signal) => queue.sweep(await clock.check(), signal),
    },
  ];
  const stopChores = startChores(chores, log);
  // Apart from the others, which may take long.
  const stopWriting = startChores(
    [{ name: "writing what refused clients share", everyMs: REFUSED_MS, run: () => intake.writeRefused() }],
    log,
  );
  const compacting: Chore = {
    name: "compacting past days of log entries",
    everyMs: 60 * MINUTE_MS,
    async run(signal) {
      const compacted = await compactDays(storage, await clock.check(), signal);
      if (compacted !== undefined) log.info(compacted);
    },
  };
  // Apart, too, since a large day takes hours.
  const stopCompacting = startChores(storage.kind === "postgres" ? [compacting] : [], log);
  return {
    ...surroundings,
    storage,
    keys,
    signingKeys,
    revocations,
    vault,
    store,
    writer,
    metrics,
    clock,
    openFiles,
    intake,
    intakeKeys: new IntakeKeyRing(query, elapsed),
    quarantine: new Quarantine(query),
    health,
    async close() {
      for (const known of [keys, signingKeys, revocations, book]) known.close();
      await Promise.all([stopChores(), stopWriting(), stopCompacting()]);
      try {
        await intake.settled();
        await deliverer.stop();
        for (const sender of [relaySender, eventSender]) sender.close();
        await Promise.race([writer.flush(), failAfter(FLUSH_MS, "writing the last log entries took too long")]);
      } finally {
        writer.close();
        await storage.close();
      }
    },
  };
}

async function failAfter(ms: number, message: string): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw new Error(message);
}
