import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import type { Config } from "./config/config.js";
import { limitConnections } from "./http/connection-limits.js";
import { type App, type AppOptions, createApp, pathIn } from "./http/create-app.js";
import { isInternalHost } from "./http/internal-hosts.js";
import { Refusal, unavailable } from "./http/refusal.js";
import { createFastLane } from "./intake/fast-lane.js";
import { registerIntake } from "./intake/routes.js";
import { intakeKinds } from "./intake/take-in.js";
import type { Parts } from "./parts.js";
import type { Tables } from "./storage/tables.js";
import { nextVersion } from "./storage/version.js";

/** Options of {@link createInside}. */
export interface InsideOptions extends Omit<AppOptions, "notFound"> {
  /** What the public listener counts, as Prometheus reads it. */
  publicMetrics(): Promise<string>;
}

/** What the media server sends to, and what the machines around the service ask: whether it lives, and how it fares. */
export async function createInside(parts: Parts, options: InsideOptions): Promise<App> {
  const { metrics, storage, writer, health } = parts;
  const intake = { ...parts, keys: parts.intakeKeys };
  const app = createApp({ ...options, notFound, fastLane: createFastLane({ ...intake, ...options }) });
  limitConnections(app.server, {
    listener: "internal",
    max: parts.openFiles.internalConnections,
    // Media servers and health checks often share an address.
    maxPerAddress: 0,
    closed: metrics.closedConnections,
    log: parts.log,
    now: parts.now,
  });
  await registerIntake(app, intake);
  const names = hostNamesOf(parts.config);
  const onRequest = async ({ headers: { host } }: FastifyRequest): Promise<void> => {
    if (host !== undefined && !isInternalHost(host, names)) throw foreignHost(host);
  };
  app.get("/healthz", { onRequest }, async () => ({ status: "alive" }));
  app.get("/readyz", { onRequest }, async () => {
    if (writer.error !== undefined) throw notReady(writer.error);
    // Where nobody is sent who is not ready, nothing comes that would show that all is well again.
    if (health.error !== undefined) await health.try(() => tryToWrite(storage.query));
    if (health.error !== undefined) throw notReady(health.error);
    await storage.query.selectFrom("setting").select("name").limit(1).execute();
    // So that whoever asks can tell this installation from another.
    return { status: "ready", database: await storage.fingerprint() };
  });
  app.get("/metrics", { onRequest }, async (_, reply) => {
    reply.type(metrics.registry.contentType);
    return (await Promise.all([metrics.registry.metrics(), options.publicMetrics()])).join("\n");
  });
  return app;
}

/** The names of the listener, beside those that every internal one may have. */
function hostNamesOf({ internalHosts, intakeHost, publicUrl }: Config): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return [...internalHosts, intakeHost.toLowerCase(), ...publicHost];
}

function foreignHost(host: string): Refusal {
  const detail = `The Host header names ${host}, which is not a name of this listener. Use its IP address, or add the name to MEDIA_INTERNAL_HOSTS.`;
  return new Refusal("bad-request", detail);
}

const notReady = (cause: unknown): Refusal =>
  unavailable("Not ready: the database cannot be written; the log says why.", 2, { cause });

/** Something is written that nobody needs. */
async function tryToWrite(query: Kysely<Tables>): Promise<void> {
  await query.transaction().execute((transaction) => nextVersion(transaction, "tried"));
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
