import { randomUUID } from "node:crypto";
import { type ClockGuard, type DatabaseWatcher, watchDatabase } from "@media-ops/database";
import { openFileLimit } from "@media-ops/settings/process";
import { type OpenFileShares, shareOpenFiles } from "./config/share-open-files.js";
import type { Surroundings } from "./config/surroundings.js";
import { type IntakeParts, openIntake } from "./intake/open-intake.js";
import { KeyRing } from "./keys/key-ring.js";
import { listingCacheBytes } from "./logs/cache-size.js";
import type { LogStore } from "./logs/log-store.js";
import { LogWriter } from "./logs/log-writer.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { openVault } from "./secrets/open-vault.js";
import { createClockGuard } from "./storage/clock.js";
import { logChange } from "./storage/health.js";
import { keepHouse } from "./storage/housekeeping.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { openStores } from "./storage/stores.js";
import { walBytes } from "./storage/wal-bytes.js";

/** What the routes work with. */
export interface Parts extends Surroundings, Omit<IntakeParts, "chores" | "close"> {
  readonly storage: Storage;
  readonly keys: KeyRing;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Whether data may be deleted by the clock. */
  readonly clock: ClockGuard;
  readonly openFiles: OpenFileShares;
  /** Settles when the service can use its database again only after it was started again; says why. */
  readonly mustRestart: Promise<Error>;
  /** Writes what is not yet written, and closes. */
  close(): Promise<void>;
}

const FLUSH_MS = 2500;
const HOUR_MS = 60 * 60 * 1000;

/** Options of {@link openParts}. */
export interface PartsOptions {
  /** How many connections to PostgreSQL there may be. @default as many as the database's URL says */
  connections?: number | undefined;
  /** Called when the database can no longer be used, with the reason, and when it can again. */
  onDatabaseChange?(fault: Error | undefined): void;
}

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
  const storage = await openStorage(config.databaseUrl, { watcher, ...(connections !== undefined && { connections }) });
  try {
    const vault = await openVault(config, storage.query, (text) => log.warn(text));
    const keys = await KeyRing.open(
      storage.query,
      logChange(log, "the API keys cannot be read; those that are known stay good", "the API keys are read again"),
    );
    const stores = await openStores(storage, { owner: randomUUID(), now, elapsed }, listingCacheBytes(config));
    const store = stores.logs;
    const { file } = storage;
    const clock = createClockGuard({ storage, log, now });
    const metrics = createMetrics({
      waiting: () => writer.waiting,
      isPaused: () => clock.pause !== undefined,
      walBytes: file === undefined ? undefined : () => walBytes(file),
    });
    const writer = new LogWriter({
      commit: (entries, batch) => store.append(entries, batch),
      onChange: logChange(log, "log entries cannot be written; it is tried again", "log entries are written again"),
      onLost: (count) => metrics.lostLogEntries.inc(count),
    });
    const deliveriesAtOnce = openFiles.deliveries;
    const opened = { ...surroundings, storage, stores, vault, keys, writer, metrics, clock };
    const { chores, ...intake } = await openIntake({ ...opened, deliveriesAtOnce });
    const endChores = keepHouse(
      [
        ...chores,
        {
          name: "tidying the logs",
          everyMs: HOUR_MS,
          async work(signal) {
            const done = await store.tidy(await clock.check(), signal);
            if (done !== undefined) log.info(done);
          },
        },
      ],
      log,
    );
    const close = async (): Promise<void> => {
      keys.close();
      await endChores();
      try {
        await intake.close();
        await within(FLUSH_MS, writer.flush(), "writing the last log entries took too long");
      } finally {
        writer.close();
        await storage.close();
      }
    };
    return {
      config,
      log,
      now,
      elapsed,
      storage,
      keys,
      store,
      writer,
      metrics,
      clock,
      openFiles,
      ...intake,
      mustRestart,
      close,
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
