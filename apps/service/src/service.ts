import type { Surroundings } from "./config/surroundings.js";
import { AnswerLog } from "./http/answer-log.js";
import type { HttpLimits } from "./http/create-app.js";
import { drain, listen } from "./http/listening.js";
import { notFound } from "./http/operations.js";
import { createInside } from "./inside.js";
import type { LogStore } from "./logs/log-store.js";
import type { LogWriter } from "./logs/log-writer.js";
import type { Metrics } from "./metrics.js";
import { createOutside } from "./outside.js";
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
  readonly mustRestart: Promise<Error>;
  /** Answers what is under way, writes what is not yet written, and closes. May be called more than once. */
  stop(): Promise<void>;
}

// With the time to end deliveries and to write what is left, less than the 10 s after which a supervisor kills.
const DRAIN_MS = 4000;

/** Starts the service: opens the database, and listens. */
export async function startService({ config, log, limits, ...clocks }: ServiceOptions): Promise<Service> {
  const { now = Date.now, elapsed = clocks.now ?? (() => performance.now()) } = clocks;
  const parts = await openParts({ config, log, now, elapsed });
  let isStopping = false;
  const options = { log, answers: new AnswerLog({ log }), ...(limits && { limits }), isStopping: () => isStopping };
  const outside = await createOutside(parts, { ...options, notFound });
  const inside = await createInside(parts, options);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    isStopping = true;
    stopped ??= Promise.all([outside, inside].map((app) => drain(app, DRAIN_MS))).then(() => parts.close());
    return stopped;
  };

  try {
    const url = await listen(outside, {
      host: config.host,
      port: config.port,
      setting: "MEDIA_PORT",
      announce: (address) => `the operations are at ${address}, described at ${address}/docs`,
    });
    const insideUrl = await listen(inside, {
      host: config.intakeHost,
      port: config.intakePort,
      setting: "MEDIA_INTAKE_PORT",
      announce: (address) => `the intake, health and metrics are at ${address}, for the inside alone`,
    });
    const { storage, store, writer, metrics, mustRestart } = parts;
    return { url, insideUrl, storage, store, writer, metrics, mustRestart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
