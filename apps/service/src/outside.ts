import type { OpenFileShares } from "./config/share-open-files.js";
import type { Surroundings } from "./config/surroundings.js";
import { registerDocs } from "./docs/routes.js";
import { AnswerLog } from "./http/answer-log.js";
import { limitConnections } from "./http/connection-limits.js";
import { type App, type AppOptions, createApp, type HttpLimits } from "./http/create-app.js";
import { Gate } from "./http/gate.js";
import { addressOf, DRAIN_MS, drain, listen } from "./http/listening.js";
import { createOperationLane } from "./http/operation-lane.js";
import { mediaApiPath, notFound, type OperationId, operationRoutes, registerOperations } from "./http/operations.js";
import { RateLimiter } from "./http/rate-limiter.js";
import { shedLoad } from "./http/shed-load.js";
import { WrongKeys } from "./http/wrong-keys.js";
import type { KeyRing } from "./keys/key-ring.js";
import { ApiLog } from "./logs/api-log.js";
import { logHandlers } from "./logs/handlers.js";
import type { Listings } from "./logs/log-store.js";
import type { EntryWriter } from "./logs/log-writer.js";
import { registerMediaApi } from "./media-api/routes.js";
import { createPublicMetrics, type PublicMetrics } from "./metrics.js";
import { tokenHandler } from "./tokens/handler.js";

/** Which limit the calls of each operation count against. */
const limits: Readonly<Record<OperationId, "listings" | "tokens">> = {
  listSessionLogs: "listings",
  listConnectionLogs: "listings",
  listApiLogs: "listings",
  listMediaApiLogs: "listings",
  listWebhookLogs: "listings",
  createAccessToken: "tokens",
};

/** What the public listener works with. It reads the database, and hands over what is to be written. */
export interface PublicParts extends Omit<Surroundings, "elapsed"> {
  readonly keys: KeyRing;
  readonly listings: Listings;
  readonly writer: EntryWriter;
  readonly openFiles: OpenFileShares;
  /** @default as HttpLimits says */
  readonly limits?: HttpLimits | undefined;
}

/** The public listener as it runs, in this thread or in another. */
export interface PublicListener {
  /** Where the operations are. */
  readonly url: string;
  /** What it counts, as Prometheus reads it. */
  metrics(): Promise<string>;
  /** Why it has ended by itself, if it does. */
  readonly failed: Promise<Error>;
  /** The database can no longer be used, for this reason, or can again. */
  onDatabaseChange(fault: Error | undefined): void;
  /** Answers what is under way, and hands over all entries of the logs. */
  stop(): Promise<void>;
}

/** Starts the public listener in this thread. */
export async function startPublicListener(parts: PublicParts): Promise<PublicListener> {
  const { config, log, limits } = parts;
  const metrics = createPublicMetrics();
  let isStopping = false;
  const app = await createOutside(parts, metrics, {
    log,
    answers: new AnswerLog({ log }),
    ...(limits && { limits }),
    isStopping: () => isStopping,
    notFound,
  });
  const stop = (): Promise<void> => {
    isStopping = true;
    return drain(app, DRAIN_MS);
  };
  try {
    const url = await listen(app, {
      host: config.host,
      port: config.port,
      setting: "MEDIA_PORT",
      announce: (address) => `the operations are at ${address}, described at ${address}/docs`,
    });
    return {
      url,
      metrics: () => metrics.registry.metrics(),
      // What ends a listener of this thread ends the process.
      failed: new Promise(() => {}),
      // The database of this thread sees it by itself.
      onDatabaseChange() {},
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The operations, what describes them, and the way to the media server's API: all that others may reach. */
async function createOutside(parts: PublicParts, metrics: PublicMetrics, options: AppOptions): Promise<App> {
  const { config, keys, listings, log, now, openFiles, writer } = parts;
  let baseUrl = config.publicUrl ?? "";
  const { revokedKeyCalls } = metrics;
  const apiLog = new ApiLog({ keys, writer, baseUrl: () => baseUrl, revokedKeyCalls, now });
  const gate = (what: string, perMinute: number): Gate =>
    new Gate({ keys, limiter: new RateLimiter(perMinute), what, now });
  const gates = { listings: gate("listing", config.listingsPerMinute), tokens: gate("token", config.tokensPerMinute) };
  const handlers = { ...logHandlers(listings, writer), createAccessToken: tokenHandler(now) };
  const routes = operationRoutes(handlers, (id) => gates[limits[id]]);
  const wrongKeys = new WrongKeys({ keys, log, now, answers: options.answers, ...options.limits });
  let isOverloaded = (): boolean => false;
  const app = createApp({
    ...options,
    fastLane: createOperationLane({ ...options, routes, wrongKeys, isOverloaded: () => isOverloaded() }),
    onAnswered: (answered) => {
      metrics.observe(answered);
      // It has a log of its own.
      if (answered.path !== mediaApiPath) return apiLog.record(answered);
    },
  });
  limitConnections(app.server, {
    listener: "public",
    max: openFiles.publicConnections,
    maxPerAddress: openFiles.publicPerAddress,
    closed: metrics.closedConnections,
    log,
    now,
  });
  // Kept from then on: an app that closes has no address any more, but still answers calls.
  app.server.once("listening", () => {
    baseUrl ||= addressOf(app);
  });
  // All calls have been answered by then, and entries can still be written.
  app.addHook("onClose", async () => apiLog.close());
  if (config.maxLagMs > 0) isOverloaded = shedLoad(app, config.maxLagMs);
  registerOperations(app, routes);
  const { upstreamUrl, mediaApiPerMinute, mediaApiOperations: operations } = config;
  await registerMediaApi(app, { gate: gate("media API", mediaApiPerMinute), upstreamUrl, operations, writer, now });
  registerDocs(app);
  return app;
}
