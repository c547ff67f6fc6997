import { registerDocs } from "./docs/routes.js";
import { limitConnections } from "./http/connection-limits.js";
import { type App, type AppOptions, createApp } from "./http/create-app.js";
import { Gate } from "./http/gate.js";
import { addressOf } from "./http/listening.js";
import { createOperationLane } from "./http/operation-lane.js";
import { mediaApiPath, type OperationId, operationRoutes, registerOperations } from "./http/operations.js";
import { RateLimiter } from "./http/rate-limiter.js";
import { shedLoad } from "./http/shed-load.js";
import { WrongKeys } from "./http/wrong-keys.js";
import { ApiLog } from "./logs/api-log.js";
import { logHandlers } from "./logs/handlers.js";
import { registerMediaApi } from "./media-api/routes.js";
import type { Parts } from "./parts.js";
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

/** The operations, what describes them, and the way to the media server's API: all that others may reach. */
export async function createOutside(parts: Parts, options: AppOptions): Promise<App> {
  const { config, keys, log, metrics, now, store, writer } = parts;
  let baseUrl = config.publicUrl ?? "";
  const { revokedKeyCalls } = metrics;
  const apiLog = new ApiLog({ keys, writer, baseUrl: () => baseUrl, revokedKeyCalls, now });
  const gate = (what: string, perMinute: number): Gate =>
    new Gate({ keys, limiter: new RateLimiter(perMinute), what, now });
  const gates = { listings: gate("listing", config.listingsPerMinute), tokens: gate("token", config.tokensPerMinute) };
  const handlers = { ...logHandlers(store, writer), createAccessToken: tokenHandler(now) };
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
    max: parts.openFiles.publicConnections,
    maxPerAddress: parts.openFiles.publicPerAddress,
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
