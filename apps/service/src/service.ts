import { EventEmitter } from "node:events";
import type { Surroundings } from "./config/surroundings.js";
import type { ListenerLimits } from "./http/listening.js";
import { startInternalListener } from "./internal-listener.js";
import { LiveSeats } from "./live/live-seats.js";
import { Listings, listingCacheBytes } from "./logs/listings.js";
import { openParts, type Parts } from "./parts.js";
import { type DatabaseChanges, type PublicListener, type PublicParts, startPublicListener } from "./public-listener.js";
import { startReads } from "./reads/reads.js";

/** Options of {@link startService}. */
export interface ServiceOptions extends Pick<Surroundings, "config" | "log"> {
  /** @default Date.now */
  now?: () => number;
  /** A monotonic clock in milliseconds. @default `now` if that is set, otherwise performance.now */
  elapsed?: () => number;
  /** @default as in ListenerLimits */
  limits?: ListenerLimits;
  /** Starts the public listener. `media-ops serve` runs it in a separate thread. @default in this thread */
  startPublic?(parts: Pick<PublicParts, "writer" | "write" | "changes">): Promise<PublicListener>;
  /** This thread's maximum number of connections to PostgreSQL. @default as in the database's URL */
  connections?: number | undefined;
}

/** A running service. */
export interface Service extends Pick<Parts, "storage" | "store" | "writer" | "metrics"> {
  readonly url: string;
  /** The URL of the intake, health and metrics: for the internal network only. */
  readonly internalUrl: string;
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
  const onDatabaseChange = (fault: Error | undefined): void => void changes.emit("change", fault);
  const parts = await openParts({ config, log, now, elapsed }, { connections, onDatabaseChange });
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
    const write = storage.writeAll;
    const startHere = (): Promise<PublicListener> => {
      const shared = { database: storage, write, config, log, now };
      return startPublicListener({
        ...{ ...shared, keys, signingKeys, vault, writer, limits },
        listings: new Listings(storage, now, listingCacheBytes(config)),
        live: new LiveSeats(storage, { now, elapsed }),
        reads: startReads({ ...shared, elapsed }),
      });
    };
    const publicListener = await (startPublic?.({ writer, write, changes }) ?? startHere());
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
