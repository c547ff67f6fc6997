import { registerDocs } from "./docs/routes.js";
import { type App, type AppOptions, createApp } from "./http/create-app.js";
import { createGate } from "./http/gate.js";
import { registerOperations } from "./http/operations.js";
import { RateLimiter } from "./http/rate-limiter.js";
import { shedLoad } from "./http/shed-load.js";
import { createApiLog } from "./logs/api-log.js";
import { logHandlers } from "./logs/handlers.js";
import type { Parts } from "./parts.js";
import { tokenHandler } from "./tokens/handler.js";

/** The operations, and what describes them: all that others may reach. */
export async function createOutside(parts: Parts, options: AppOptions): Promise<App> {
  const { config, keys, metrics, now, store, writer } = parts;
  const logCall = createApiLog({ keys, writer, publicUrl: config.publicUrl, now });
  const app = createApp({
    ...options,
    onAnswered: (answered) => {
      metrics.observe(answered);
      return logCall(answered);
    },
  });
  if (config.maxLagMs > 0) await shedLoad(app, config.maxLagMs);
  const gate = createGate({
    keys,
    listings: new RateLimiter(config.listingsPerMinute),
    tokens: new RateLimiter(config.tokensPerMinute),
    now,
  });
  registerOperations(app, { ...logHandlers(store, writer), createAccessToken: tokenHandler(now) }, gate);
  registerDocs(app);
  return app;
}
