import { type App, type AppOptions, createApp, pathIn } from "./http/create-app.js";
import { Refusal, unavailable } from "./http/refusal.js";
import { createFastLane } from "./intake/fast-lane.js";
import { registerIntake } from "./intake/routes.js";
import { intakeKinds } from "./intake/take-in.js";
import type { Parts } from "./parts.js";

/** What the media server sends to, and what the machines around the service ask: whether it lives, and how it fares. */
export async function createInside(parts: Parts, options: Omit<AppOptions, "notFound">): Promise<App> {
  const { metrics, storage, writer, health } = parts;
  const intake = { ...parts, keys: parts.intakeKeys };
  const app = createApp({ ...options, notFound, fastLane: createFastLane({ ...intake, ...options }) });
  await registerIntake(app, intake);
  app.get("/healthz", async () => ({ status: "alive" }));
  app.get("/readyz", async () => {
    for (const { error } of [writer, health]) {
      if (error !== undefined) throw unavailable("Not ready: the database cannot be written; the log says why.", 2);
    }
    await storage.query.selectFrom("setting").select("name").limit(1).execute();
    return { status: "ready" };
  });
  app.get("/metrics", async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  return app;
}

const intakePaths = intakeKinds.map((kind) => `/intake/${kind}`);

function notFound({ method, url }: { method: string; url: string }): Refusal {
  const path = pathIn(url);
  const isIntake = intakePaths.includes(path.replace(/^\/intake\/[^/]+(?=\/)/, "/intake"));
  if (isIntake && method !== "POST") {
    return new Refusal("method-not-allowed", "The intake takes POST only.", { headers: { allow: "POST" } });
  }
  const detail = `There is nothing at ${path}. The media server sends to ${intakePaths.join(", ")}.`;
  return new Refusal("not-found", detail);
}
