import { randomUUID } from "node:crypto";
import { openFileLimit } from "@media-ops/settings/process";
import { type OpenFileShares, shareOpenFiles } from "./config/share-open-files.js";
import type { Surroundings } from "./config/surroundings.js";
import { type IntakeParts, openIntake } from "./intake/open-intake.js";
import { KeyRing } from "./keys/key-ring.js";
import { bytesOfMb } from "./logs/cache-size.js";
import type { LogStore } from "./logs/log-store.js";
import { LogWriter } from "./logs/log-writer.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { openVault } from "./secrets/open-vault.js";
import { logChange } from "./storage/health.js";
import { keepHouse } from "./storage/housekeeping.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { openStores } from "./storage/stores.js";

/** What the routes work with. */
export interface Parts extends Surroundings, Omit<IntakeParts, "chores" | "close"> {
  readonly storage: Storage;
  readonly keys: KeyRing;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  readonly openFiles: OpenFileShares;
  /** Writes what is not yet written, and closes. */
  close(): Promise<void>;
}

const FLUSH_MS = 2500;
const HOUR_MS = 60 * 60 * 1000;

/** @param connections How many connections to PostgreSQL there may be, if not as many as the URL says. */
export async function openParts({ config, log, now }: Surroundings, connections?: number): Promise<Parts> {
  const openFiles = shareOpenFiles(openFileLimit(), config);
  const storage = await openStorage(config.databaseUrl, connections === undefined ? {} : { connections });
  try {
    const vault = await openVault(config, storage.query);
    const keys = await KeyRing.open(
      storage.query,
      logChange(log, "the API keys cannot be read; those that are known stay good", "the API keys are read again"),
    );
    const { listingCacheMb } = config;
    const cacheBytes = listingCacheMb === undefined ? undefined : bytesOfMb(listingCacheMb);
    const stores = await openStores(storage, { owner: randomUUID(), now }, cacheBytes);
    const store = stores.logs;
    const metrics = createMetrics(() => writer.waiting);
    const writer = new LogWriter({
      commit: (entries, batch) => store.append(entries, batch),
      onChange: logChange(log, "log entries cannot be written; it is tried again", "log entries are written again"),
      onLost: (count) => metrics.lostLogEntries.inc(count),
    });
    const { chores, ...intake } = await openIntake({
      config,
      log,
      now,
      storage,
      stores,
      vault,
      keys,
      writer,
      metrics,
      deliveriesAtOnce: openFiles.deliveries,
    });
    const endChores = keepHouse(
      [
        ...chores,
        {
          name: "tidying the logs",
          everyMs: HOUR_MS,
          async work(signal) {
            const done = await store.tidy(signal);
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
    return { config, log, now, storage, keys, store, writer, metrics, openFiles, ...intake, close };
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
