import type { EventEmitter } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Statement } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import { openFileLimit } from "@media-ops/settings/process";
import { Histogram, Registry } from "prom-client";
import { auditRoute, refusedActs } from "./audit/acts.js";
import { shareOpenFiles } from "./config/config.js";
import type { Surroundings } from "./config/surroundings.js";
import { deliveryRoutes } from "./deliveries/routes.js";
import { docsRoutes } from "./docs/routes.js";
import { logChange } from "./health.js";
import { ApiCallers, ApiGate, WrongKeys } from "./http/api-gate.js";
import { type AnsweredCall, Listener } from "./http/listener.js";
import { type ListenerLimits, limitConnections, listen } from "./http/listening.js";
import type { KeyRing } from "./keys/api-keys.js";
import type { LiveSeats } from "./live/live-seats.js";
import { liveRoute } from "./live/route.js";
import { ApiLog } from "./logs/api-log.js";
import type { Listings } from "./logs/listings.js";
import type { EntryWriter } from "./logs/log-writer.js";
import { logRoutes } from "./logs/routes.js";
import { MediaServer } from "./media-api/media-server.js";
import { mediaApiPath, mediaApiRoute } from "./media-api/routes.js";
import { closedConnectionsOf, counterIn } from "./metrics.js";
import type { Reads } from "./reads/reads.js";
import type { Storage } from "./storage/open-storage.js";
import { storedRevocations } from "./tokens/revocations.js";
import { signingKeysPage, tokenRoute, tokenRoutes } from "./tokens/routes.js";
import type { SigningKeys } from "./tokens/signing-keys.js";
import { TokenChecker } from "./tokens/token-checker.js";
import { TokenRecorder } from "./tokens/token-recorder.js";

/** Emits "change" with the reason if the database becomes unusable, and without one if it can be used again. */
export type DatabaseChanges = EventEmitter<{ change: [fault: Error | undefined] }>;

/** The dependencies of the public listener. It reads the database, and passes entries to the writer. */
export interface PublicParts extends Omit<Surroundings, "elapsed"> {
  readonly keys: KeyRing;
  readonly signingKeys: SigningKeys;
  readonly vault: Pick<Vault, "open">;
  readonly listings: Listings;
  readonly live: LiveSeats;
  readonly writer: EntryWriter;
  readonly database: Pick<Storage, "kind" | "isDistributed" | "query">;
  /** Runs statements in one transaction. Returns the rows of those that return rows. */
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  readonly reads: Reads;
  readonly changes: DatabaseChanges;
  /** Throws if the database must not be read. @default it may always be read */
  checkDatabase?(): void;
  /** @default as in ListenerLimits */
  readonly limits?: ListenerLimits | undefined;
}

/** The running public listener, in this thread or in another. */
export interface PublicListener {
  readonly url: string;
  metrics(): Promise<string>;
  /** Settles with the reason if it ends without being stopped. */
  readonly failed: Promise<Error>;
  /** Answers the calls that have begun, and passes on all log entries. */
  stop(): Promise<void>;
}

/** Serves the operations, their description and the proxy to the media server's API, in this thread. */
export async function startPublicListener(parts: Omit<PublicParts, "changes">): Promise<PublicListener> {
  const { config, keys, listings, live, reads, write, log, now, writer, limits } = parts;
  const { server, url } = await listen({ host: config.host, port: config.port, setting: "MEDIA_PORT" }, limits);
  const metrics = createPublicMetrics();
  const { publicConnections, publicPerAddress } = shareOpenFiles(openFileLimit(), config);
  limitConnections(server, {
    listener: "public",
    max: publicConnections,
    maxPerAddress: publicPerAddress,
    closed: metrics.closedConnections,
    log,
    now,
  });

  const callers = new ApiCallers(keys);
  const gate = (what: string, perMinute: number): ApiGate => new ApiGate({ callers, perMinute, what, now });
  const { kind, query, isDistributed } = parts.database;
  const refused = refusedActs({ query, write, now });
  const { upstreamUrl } = config;
  const mediaServer = upstreamUrl === undefined ? undefined : new MediaServer({ url: upstreamUrl, writer, now });
  const issued = new TokenRecorder({
    query,
    write,
    isDistributed,
    onChange: logChange(
      log,
      "records of tokens cannot be written; trying again",
      "records of tokens are written again",
    ),
  });

  const { revokedKeyCalls } = metrics;
  const apiLog = new ApiLog({ keys, writer, baseUrl: config.publicUrl ?? url, revokedKeyCalls, now });
  const wrongKeys = new WrongKeys({ callers, log, now, limits });
  const load = watchLoad(config.maxLagMs);
  const listing = {
    gate: gate("listing", config.listingsPerMinute),
    checkDatabase: () => parts.checkDatabase?.(),
  };
  const reading = { ...listing, reads };
  const acting = { ...reading, refused, query, write, now };
  const { signingKeys, vault } = parts;
  const revocations = storedRevocations(query);
  const checker = new TokenChecker({ keys, signingKeys, revocations, vault, now });
  const listener = new Listener(server, {
    routes: [
      ...logRoutes({ listings, writer, ...reading }),
      liveRoute(reading),
      tokenRoute({ ...acting, gate: gate("token", config.tokensPerMinute), signingKeys, revocations, issued }),
      ...tokenRoutes({ ...acting, issued, checker, live, mediaServer }),
      ...deliveryRoutes({ ...acting, kind }),
      auditRoute(acting),
      signingKeysPage(signingKeys),
      mediaApiRoute({
        ...{ ...acting, gate: gate("media API", config.mediaApiPerMinute) },
        ...{ mediaServer, operations: config.mediaApiOperations },
      }),
      ...docsRoutes(),
    ],
    hint: "GET /openapi.yaml lists the operations.",
    log,
    throttle: (request) => wrongKeys.throttle(request),
    isOverloaded: load.isOverloaded,
    async onAnswered(answered) {
      metrics.observe(answered);
      // Calls of the media server's API have a separate log.
      if (answered.action !== mediaApiPath) await apiLog.record(answered);
    },
  });
  log.info(`the operations are at ${url}, described at ${url}/docs`);
  return {
    url,
    metrics: async () => (await Promise.all([metrics.registry.metrics(), reads.metrics()])).join("\n"),
    // A failure in this thread ends the process.
    failed: new Promise(() => {}),
    async stop() {
      // Calls that are held for new entries would delay the stop.
      await Promise.all([listener.stop(), reads.stop()]);
      await mediaServer?.close();
      await Promise.all([issued.flush(), ...refused.flush()]);
      apiLog.close();
      load.stop();
    },
  };
}

/** All metrics are on one page, so the names differ from those of {@link createMetrics}. */
function createPublicMetrics() {
  const registry = new Registry();
  const answers = counterIn(registry, "answers_total", "Answers of the operations, by their path and status.", [
    "path",
    "status",
  ]);
  const seconds = new Histogram({
    name: "media_answer_seconds",
    help: "How long the operations took, by their path; without calls that were held for new entries.",
    labelNames: ["path"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const revokedHelp = "Calls with a revoked API key, by the key's id. They are in no log.";
  return {
    registry,
    revokedKeyCalls: counterIn(registry, "revoked_key_calls_total", revokedHelp, ["key_id"]),
    closedConnections: closedConnectionsOf("public", registry),
    /** Counts and times an answer; `action` is the path of the operation, or undefined if the call matched none. */
    observe(answered: Pick<AnsweredCall<unknown>, "action" | "status" | "elapsedMs" | "isHeld">): void {
      // A label for each mistyped path would fill the memory.
      const { action = "other", status, elapsedMs, isHeld } = answered;
      answers.labels(action, String(status)).inc();
      if (!isHeld) seconds.labels(action).observe(elapsedMs / 1000);
    },
  };
}

const SAMPLE_MS = 1000;
// The sampling interval of the event loop; the histogram counts it as part of the delay.
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/** Measures how late this thread's event loop is; `maxLagMs` is how late it may be on average, 0 sets no limit. */
function watchLoad(maxLagMs: number) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let isOverloaded = false;
  const timer = setInterval(() => {
    // The mean of no samples is NaN: the event loop was blocked for the whole interval.
    isOverloaded = maxLagMs > 0 && !(histogram.mean / NS_PER_MS - RESOLUTION_MS <= maxLagMs);
    histogram.reset();
  }, SAMPLE_MS).unref();
  return {
    /** Whether calls have to be refused, so that admitted ones are still answered in time. */
    isOverloaded: () => isOverloaded,
    stop(): void {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
