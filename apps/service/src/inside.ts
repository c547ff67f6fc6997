import { DatabaseError, isMovedOrDamaged } from "@media-ops/database";
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
import type { Storage } from "./storage/open-storage.js";
import { nextVersion } from "./storage/open-storage.js";
import type { Tables } from "./storage/tables.js";

// A probe writes at most this often while nothing else does.
const FRESH_MS = 15_000;

/** Options of {@link createInside}. */
export interface InsideOptions extends Omit<AppOptions, "notFound"> {
  /** What the public listener counts, as Prometheus reads it. */
  publicMetrics(): Promise<string>;
}

/** What the media server sends to, and what the machines around the service ask: whether it lives, and how it fares. */
export async function createInside(parts: Parts, options: InsideOptions): Promise<App> {
  const { metrics, storage, writer, health, clock } = parts;
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
  let trying: Promise<void> | undefined;
  const tryOnce = (): Promise<void> => {
    trying ??= health
      .try(() => tryToWrite(storage.query))
      .finally(() => {
        trying = undefined;
      });
    return trying;
  };
  app.get("/healthz", { onRequest }, async () => ({ status: "alive" }));
  app.get("/readyz", { onRequest }, async () => {
    await checkDatabase(storage);
    if (writer.error !== undefined) throw notReady(writer.error);
    // Without traffic nothing shows whether the database can be written: after a start, when idle, and while not ready.
    if (!health.hasWorkedWithin(FRESH_MS)) await tryOnce();
    if (health.error !== undefined) throw notReady(health.error);
    await tryToRead(storage.query);
    // So that whoever asks can tell this installation from another.
    const { pause } = clock;
    return { status: "ready", database: await storage.fingerprint(), ...(pause && { retention_paused: pause }) };
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

function notReady(cause: unknown): Refusal {
  const reason = cause instanceof DatabaseError ? cause.message : "the database cannot be written; the log says why.";
  return unavailable(`Not ready: ${reason}`, 2, { cause });
}

async function tryToRead(query: Kysely<Tables>): Promise<void> {
  try {
    await query.selectFrom("setting").select("name").limit(1).execute();
  } catch (error) {
    throw notReady(error);
  }
}

/** Refuses with what is wrong with the database and what to do, if an operator has to act. */
async function checkDatabase(storage: Storage): Promise<void> {
  try {
    await storage.check();
  } catch (error) {
    throw isMovedOrDamaged(error) ? notReady(error) : error;
  }
}

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
