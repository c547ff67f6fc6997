import type { Surroundings } from "./config/surroundings.js";
import { AnswerLog } from "./http/answer-log.js";
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
  /** Milliseconds by a clock that nobody can set. @default `now` where it is given, otherwise performance.now */
  elapsed?: () => number;
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
  /** Settles when the service must be stopped and started again; says why. */
  readonly failed: Promise<Error>;
  /** Answers what is under way, writes what is not yet written, and closes. May be called more than once. */
  stop(): Promise<void>;
}

/** Starts the service: opens the database, and listens. */
export async function startService({ config, log, limits, ...options }: ServiceOptions): Promise<Service> {
  const { now = Date.now, connections, startPublic = startPublicListener } = options;
  const { elapsed = options.now ?? (() => performance.now()) } = options;
  let isStopping = false;
  let outside: PublicListener | undefined;
  let stopInside: (() => Promise<void>) | undefined;
  const parts = await openParts(
    { config, log, now, elapsed },
    { connections, onDatabaseChange: (fault) => outside?.onDatabaseChange(fault) },
  );
  const { storage, keys, store, writer, metrics, openFiles, mustRestart } = parts;
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
      answers: new AnswerLog({ log }),
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
    const { url } = listener;
    const failed = Promise.race([listener.failed, mustRestart]);
    return { url, insideUrl, storage, store, writer, metrics, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
