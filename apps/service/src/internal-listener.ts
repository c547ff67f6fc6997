import { isIP } from "node:net";
import { DatabaseError, isMovedOrDamaged } from "@media-ops/database";
import { openFileLimit } from "@media-ops/settings/process";
import { type Config, shareOpenFiles } from "./config/config.js";
import { Listener } from "./http/listener.js";
import { type ListenerLimits, limitConnections, listen } from "./http/listening.js";
import { type Answer, jsonAnswer, type Page } from "./http/route.js";
import { intakeRoutes } from "./intake/routes.js";
import type { Parts } from "./parts.js";
import { Refusal, unavailable } from "./refusal.js";
import { nextVersion } from "./storage/open-storage.js";

/** Serves the intake for the media server, and the pages for health checks and metrics. */
export async function startInternalListener(
  parts: Parts,
  publicMetrics: () => Promise<string>,
  limits?: ListenerLimits,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { config, metrics, log, now } = parts;
  const { intakeHost: host, intakePort: port } = config;
  const { server, url } = await listen({ host, port, setting: "MEDIA_INTAKE_PORT" }, limits);
  limitConnections(server, {
    listener: "internal",
    max: shareOpenFiles(openFileLimit(), config).internalConnections,
    // Media servers and health checks often share an address.
    maxPerAddress: 0,
    closed: metrics.closedConnections,
    log,
    now,
  });
  const names = hostNamesOf(config);
  const page = (path: string, answer: () => Promise<Answer>): Page => ({
    method: "GET",
    path,
    answer({ request }) {
      checkInternalHost(request.headers.host, names);
      return answer();
    },
  });
  const checkReadiness = readinessOf(parts);
  const listener = new Listener(server, {
    routes: [
      ...intakeRoutes(parts),
      page("/healthz", async () => jsonAnswer({ status: "alive" })),
      page("/readyz", async () => jsonAnswer(await checkReadiness())),
      page("/metrics", async () => {
        const texts = await Promise.all([metrics.registry.metrics(), publicMetrics()]);
        return { status: 200, headers: { "content-type": metrics.registry.contentType }, body: texts.join("\n") };
      }),
    ],
    hint: "It answers at /intake/auth, /intake/session, /intake/event, /healthz, /readyz and /metrics.",
    log,
  });
  log.info(`the intake, health and metrics are at ${url}, for the internal network only`);
  return { url, stop: () => listener.stop() };
}

// A public site can't have such a name: RFC 6761, 6762 and 8375, and ICANN's resolution on ".internal".
const NEVER_PUBLIC = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Whether a Host header can't be that of a public site, which may direct its visitors here (DNS rebinding). */
export function isInternalHost(host: string, names: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  return !name.includes(".") || NEVER_PUBLIC.test(name) || names.includes(name);
}

function checkInternalHost(host: string | undefined, names: readonly string[]): void {
  if (host === undefined || isInternalHost(host, names)) return;
  const detail = `The Host header names ${host}, which is not a name of this listener. Use its IP address, or add the name to MEDIA_INTERNAL_HOSTS.`;
  throw new Refusal("bad-request", detail);
}

function hostNamesOf({ internalHosts, intakeHost, publicUrl }: Config): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return [...internalHosts, intakeHost.toLowerCase(), ...publicHost];
}

// Without other writes, checks write at most this often.
const FRESH_MS = 15_000;

function readinessOf({ storage, writer, health, clock }: Parts): () => Promise<object> {
  let trying: Promise<void> | undefined;
  /** Writes a row that has no other use; concurrent checks share one attempt. */
  const tryOnce = (): Promise<void> => {
    trying ??= health
      .try(async () => {
        await storage.query.transaction().execute((transaction) => nextVersion(transaction, "tried"));
      })
      .finally(() => {
        trying = undefined;
      });
    return trying;
  };
  return async () => {
    await storage.check().catch((error) => {
      throw isMovedOrDamaged(error) ? notReady(error) : error;
    });
    if (writer.error !== undefined) throw notReady(writer.error);
    // Without traffic, only an attempt shows whether the database is writable.
    if (!health.hasWorkedWithin(FRESH_MS)) await tryOnce();
    if (health.error !== undefined) throw notReady(health.error);
    const reading = storage.query.selectFrom("setting").select("name").limit(1).execute();
    await reading.catch((error) => {
      throw notReady(error);
    });
    const { pause } = clock;
    // The fingerprint identifies this installation.
    return { status: "ready", database: await storage.fingerprint(), ...(pause && { retention_paused: pause }) };
  };
}

function notReady(cause: unknown): Refusal {
  const reason = cause instanceof DatabaseError ? cause.message : "the database cannot be written; the log says why.";
  return unavailable(`Not ready: ${reason}`, 2, { cause });
}
