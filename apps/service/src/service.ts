import type { Surroundings } from "./config/surroundings.js";
import type { HttpLimits } from "./http/create-app.js";
import { DRAIN_MS, drain, listen } from "./http/listening.js";
import { createInside } from "./inside.js";
import type { LogStore } from "./logs/log-store.js";
import type { LogWriter } from "./logs/log-writer.js";
import type { Metrics } from "./metrics.js";
import { type PublicListener, type PublicParts, startPublicListener } from "./outside.js";
import { openParts } from "./parts.js";
import type { Storage } from "./storage/open-storage.js";

/** Options of {@link startService}. */
export interface ServiceOptions extends Pick<Surroundings, "config" | "log"> {
  /** @default Date.now */
  now?: () => number;
  /** @default as HttpLimits says */
  limits?: HttpLimits;
  /**
   * Starts the public listener. `media-ops serve` has it in a thread of its own.
   * @default in this thread
   */
  startPublic?(parts: PublicParts): Promise<PublicListener>;
  /**
   * How many connections to PostgreSQL this thread may have.
   * @default as many as the database's URL says
   */
  connections?: number | undefined;
}

/** The service as it runs. */
export interface Service {
  /** Where the operations are. */
  readonly url: string;
  /** Where the media server sends to, and where health and metrics are asked: for the inside alone. */
  readonly insideUrl: string;
  readonly storage: Storage;
  readonly store: LogStore;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Why a part of it has ended by itself, if one does. What is left is to be stopped. */
  readonly failed: Promise<Error>;
  /** Answers what is under way, writes what is not yet written, and closes. May be called more than once. */
  stop(): Promise<void>;
}

/** Starts the service: opens the database, and listens. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, now = Date.now, limits, connections, startPublic = startPublicListener } = options;
  const parts = await openParts({ config, log, now }, connections);
  const { storage, keys, store, writer, metrics, openFiles } = parts;
  let isStopping = false;
  let outside: PublicListener | undefined;
  let stopInside: (() => Promise<void>) | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    isStopping = true;
    stopped ??= Promise.all([outside?.stop(), stopInside?.()])
      .finally(() => parts.close())
      .then(() => {});
    return stopped;
  };

  try {
    const listener = await startPublic({ config, log, now, keys, listings: store, writer, openFiles, limits });
    outside = listener;
    const inside = await createInside(parts, {
      log,
      ...(limits && { limits }),
      isStopping: () => isStopping,
      publicMetrics: () => listener.metrics(),
    });
    stopInside = () => drain(inside, DRAIN_MS);
    const insideUrl = await listen(inside, {
      host: config.intakeHost,
      port: config.intakePort,
      setting: "MEDIA_INTAKE_PORT",
      announce: (address) => `the intake, health and metrics are at ${address}, for the inside alone`,
    });
    const { url, failed } = listener;
    return { url, insideUrl, storage, store, writer, metrics, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
