import { EventEmitter } from "node:events";
import type { Surroundings } from "./config/surroundings.js";
import type { ListenerLimits } from "./http/listening.js";
import { startInternalListener } from "./internal-listener.js";
import { LiveSeats } from "./live/live-seats.js";
import type { LogStore } from "./logs/log-store.js";
import type { LogWriter } from "./logs/log-writer.js";
import type { Metrics } from "./metrics.js";
import { openParts } from "./parts.js";
import { type DatabaseChanges, type PublicListener, type PublicParts, startPublicListener } from "./public-listener.js";
import { startReads } from "./reads/reads.js";
import type { Storage } from "./storage/open-storage.js";

/** Options of {@link startService}. */
export interface ServiceOptions extends Pick<Surroundings, "config" | "log"> {
  /** @default Date.now */
  now?: () => number;
  /** A monotonic clock in milliseconds. @default `now` if that is set, otherwise performance.now */
  elapsed?: () => number;
  /** @default as in ListenerLimits */
  limits?: ListenerLimits;
  /** Starts the public listener. `media-ops serve` runs it in a separate thread. @default in this thread */
  startPublic?(parts: Omit<PublicParts, "reads">): Promise<PublicListener>;
  /** This thread's maximum number of connections to PostgreSQL. @default as in the database's URL */
  connections?: number | undefined;
}

/** A running service. */
export interface Service {
  /** The URL of the operations. */
  readonly url: string;
  /** The URL of the intake, health and metrics: for the internal network only. */
  readonly internalUrl: string;
  readonly storage: Storage;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Settles with the reason if the service must be restarted. */
  readonly failed: Promise<Error>;
  /** Answers the calls that have begun, writes all pending entries, and closes. May be called more than once. */
  stop(): Promise<void>;
}

/** Starts the service: opens the database, and listens. */
export async function startService({ config, log, limits, ...options }: ServiceOptions): Promise<Service> {
  const { now = Date.now, connections, startPublic } = options;
  const { elapsed = options.now ?? performance.now.bind(performance) } = options;
  const changes: DatabaseChanges = new EventEmitter();
  const parts = await openParts(
    { config, log, now, elapsed },
    { connections, onDatabaseChange: (fault) => void changes.emit("change", fault) },
  );
  const { storage, keys, signingKeys, vault, store, writer, metrics, mustRestart } = parts;
  const listeners: { stop(): Promise<void> }[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.stop())).finally(() => parts.close());
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= stopAll();
    return stopped;
  };
  try {
    const rings = { keys, signingKeys, vault };
    const database = { database: storage, write: storage.writeAll };
    const live = new LiveSeats(storage, { now, elapsed });
    const shared = {
      config,
      log,
      now,
      ...rings,
      writer,
      limits,
      changes,
      ...database,
      listings: store,
      live,
    };
    const publicListener = await (startPublic?.(shared) ??
      startPublicListener({ ...shared, reads: startReads({ ...database, config, log, now, elapsed }) }));
    listeners.push(publicListener);
    const internal = await startInternalListener(parts, () => publicListener.metrics(), limits);
    listeners.push(internal);
    const { url } = publicListener;
    const failed = Promise.race([publicListener.failed, mustRestart]);
    return { url, internalUrl: internal.url, storage, store, writer, metrics, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
