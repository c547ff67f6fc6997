import type { Surroundings } from "./config/surroundings.js";
import { type IntakeParts, openIntake } from "./intake/open-intake.js";
import { KeyRing } from "./keys/key-ring.js";
import type { LogStore } from "./logs/log-store.js";
import { LogWriter } from "./logs/log-writer.js";
import { SqliteLogStore } from "./logs/sqlite-log-store.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { openVault } from "./secrets/open-vault.js";
import { keepHouse } from "./storage/housekeeping.js";
import { openStorage, type Storage } from "./storage/open-storage.js";

/** What the routes work with. */
export interface Parts extends Surroundings, Omit<IntakeParts, "chores" | "close"> {
  readonly storage: Storage;
  readonly keys: KeyRing;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Writes what is not yet written, and closes. */
  close(): Promise<void>;
}

const FLUSH_MS = 2500;
const HOUR_MS = 60 * 60 * 1000;

export async function openParts({ config, log, now }: Surroundings): Promise<Parts> {
  const storage = await openStorage(config.databaseUrl);
  try {
    const vault = await openVault(config, storage.query);
    const keys = await KeyRing.open(storage.query, (error) => log.error({ err: error }, "reading the API keys failed"));
    const store = new SqliteLogStore(storage, now);
    const metrics = createMetrics(() => writer.waiting);
    const writer = new LogWriter({
      commit: (entries) => store.append(entries),
      onChange: (error) => {
        if (error === undefined) log.info("log entries are written again");
        else log.error({ err: error }, "log entries cannot be written; it is tried again");
      },
      onLost: (count) => metrics.lostLogEntries.inc(count),
    });
    const { chores, ...intake } = await openIntake({ config, log, now, storage, vault, keys, writer, metrics });
    const endChores = keepHouse(
      [
        ...chores,
        {
          name: "deleting old log entries",
          everyMs: HOUR_MS,
          async work(signal) {
            const dropped = await store.dropExpired(signal);
            if (dropped > 0) log.info({ dropped }, "log entries older than 30 days were deleted");
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
    return { config, log, now, storage, keys, store, writer, metrics, ...intake, close };
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
