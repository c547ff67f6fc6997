import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type ClockGuard, type DatabaseWatcher, watchDatabase } from "@media-ops/database";
import { openFileLimit } from "@media-ops/settings/process";
import { startChores } from "./chores.js";
import { type OpenFileShares, shareOpenFiles } from "./config/share-open-files.js";
import type { Surroundings } from "./config/surroundings.js";
import { logChange } from "./health.js";
import { type IntakeParts, openIntake } from "./intake/open-intake.js";
import { KeyRing } from "./keys/key-ring.js";
import { listingCacheBytes } from "./logs/cached-listings.js";
import type { LogStore } from "./logs/log-store.js";
import { LogWriter } from "./logs/log-writer.js";
import { createClockGuard } from "./logs/retention.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { openVault } from "./secrets/open-vault.js";
import { openStorage, type Storage, walBytes } from "./storage/open-storage.js";
import { openStores } from "./stores.js";

/** What the routes work with. */
export interface Parts extends Surroundings, Omit<IntakeParts, "chores" | "close"> {
  readonly storage: Storage;
  readonly keys: KeyRing;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Decides by which time data may be deleted. */
  readonly clock: ClockGuard;
  readonly openFiles: OpenFileShares;
  /** Resolves with the reason when the service must be restarted to use its database again. */
  readonly mustRestart: Promise<Error>;
  /** Writes what is not yet written, and closes the database. */
  close(): Promise<void>;
}

const FLUSH_MS = 2500;
const HOUR_MS = 60 * 60 * 1000;

/** Options of {@link openParts}. */
export interface PartsOptions {
  /** How many connections to PostgreSQL there may be. @default as many as the database's URL says */
  connections?: number | undefined;
  /** Called with the reason when the database becomes unusable, and without when it can be used again. */
  onDatabaseChange?(fault: Error | undefined): void;
}

/** Opens the database and everything that works with it. */
export async function openParts(surroundings: Surroundings, options: PartsOptions = {}): Promise<Parts> {
  const { config, log, now, elapsed } = surroundings;
  const { connections, onDatabaseChange } = options;
  const openFiles = shareOpenFiles(openFileLimit(), config);
  const { watcher: logged, mustRestart } = watchDatabase(log);
  const watcher: DatabaseWatcher = {
    ...logged,
    changed(fault) {
      logged.changed(fault);
      onDatabaseChange?.(fault);
    },
  };
  const storage = await openStorage(config.databaseUrl, {
    watcher,
    ...(connections !== undefined && { connections }),
  });
  try {
    const { query, file } = storage;
    const vault = await openVault(config, query, (text) => log.warn(text));
    const keys = await KeyRing.open(
      query,
      logChange(log, "the API keys cannot be read; known keys keep working", "the API keys are read again"),
    );
    const stores = await openStores(storage, { owner: randomUUID(), now, elapsed }, listingCacheBytes(config));
    const store = stores.logs;
    const clock = createClockGuard({ storage, log, now });
    const writer = new LogWriter({
      commit: (entries, batch) => store.append(entries, batch),
      onChange: logChange(log, "log entries cannot be written; it is tried again", "log entries are written again"),
    });
    const metrics = createMetrics({
      waiting: () => writer.waiting,
      lost: () => writer.lost,
      isPaused: () => clock.pause !== undefined,
      walBytes: file === undefined ? undefined : () => walBytes(file),
    });
    const opened = { ...surroundings, storage, keys, writer, metrics, clock };
    const { chores, ...intake } = await openIntake({
      ...opened,
      stores,
      vault,
      deliveriesAtOnce: openFiles.deliveries,
    });
    const deleteExpiredEntries = async (signal: AbortSignal): Promise<void> => {
      const deleted = await store.runRetention(await clock.check(), signal);
      if (deleted !== undefined) log.info(deleted);
    };
    const stopChores = startChores(
      [...chores, { name: "deleting expired log entries", everyMs: HOUR_MS, run: deleteExpiredEntries }],
      log,
    );
    const close = async (): Promise<void> => {
      keys.close();
      await stopChores();
      try {
        await intake.close();
        await Promise.race([writer.flush(), failAfter(FLUSH_MS, "writing the last log entries took too long")]);
      } finally {
        writer.close();
        await storage.close();
      }
    };
    return { ...opened, store, openFiles, ...intake, mustRestart, close };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function failAfter(ms: number, message: string): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw new Error(message);
}
