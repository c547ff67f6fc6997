import { type App, type AppOptions, createApp } from "./http/create-app.js";
import { unavailable } from "./http/refusal.js";
import type { Parts } from "./parts.js";

/** What the machines around the service ask: whether it lives, whether it can work, and how it fares. */
export function createInside({ metrics, storage, writer }: Parts, options: AppOptions): App {
  const app = createApp(options);
  app.get("/healthz", async () => ({ status: "alive" }));
  app.get("/readyz", async () => {
    if (writer.error !== undefined) throw unavailable("Not ready: log entries cannot be written; the log says why.", 2);
    await storage.query.selectFrom("setting").select("name").limit(1).execute();
    return { status: "ready" };
  });
  app.get("/metrics", async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  return app;
}
