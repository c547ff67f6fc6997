import type { App } from "../http/create-app.js";
import { Refusal } from "../http/refusal.js";
import type { Metrics } from "./metrics.js";

/** What the routes for the inside need. */
export interface InsideOptions {
  metrics: Metrics;
  /** Why the service cannot work now; undefined where it can. */
  fault(): Promise<string | undefined>;
}

/** What the machines around the service ask: whether it lives, whether it can work, and how it fares. */
export function registerInside(app: App, { metrics, fault }: InsideOptions): void {
  app.get("/healthz", async () => ({ status: "alive" }));
  app.get("/readyz", async () => {
    const reason = await fault();
    if (reason === undefined) return { status: "ready" };
    throw new Refusal("service-unavailable", `Not ready: ${reason}`, { headers: { "retry-after": "2" } });
  });
  app.get("/metrics", async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
