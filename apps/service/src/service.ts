import type { AddressInfo } from "node:net";
import underPressure from "@fastify/under-pressure";
import type { Logger } from "pino";
import type { Config } from "./config/config.js";
import { registerDocs } from "./docs/routes.js";
import { type Answered, type App, createApp, type HttpLimits } from "./http/create-app.js";
import { createGate } from "./http/gate.js";
import { operationPaths, registerOperations } from "./http/operations.js";
import { RateLimiter } from "./http/rate-limiter.js";
import { Refusal } from "./http/refusal.js";
import { createMetrics, type Metrics } from "./inside/metrics.js";
import { registerInside } from "./inside/routes.js";
import { KeyRing } from "./keys/key-ring.js";
import { createApiLog } from "./logs/api-log.js";
import { logHandlers } from "./logs/handlers.js";
import { LogWriter } from "./logs/log-writer.js";
import { keepRetention } from "./logs/retention.js";
import { SqliteLogStore } from "./logs/sqlite-log-store.js";
import { openVault } from "./secrets/master-key.js";
import { openStorage, type Storage } from "./storage/open-storage.js";
import { tokenHandler } from "./tokens/handler.js";

/** Options of {@link startService}. */
export interface ServiceOptions {
  config: Config;
  log: Logger;
  /** @default Date.now */
  now?: () => number;
  /** @default as HttpLimits says */
  limits?: HttpLimits;
}

/** The service as it runs. */
export interface Service {
  /** Where the operations are. */
  readonly url: string;
  /** Where the media server sends to, and where health and metrics are asked: for the inside alone. */
  readonly insideUrl: string;
  readonly storage: Storage;
  readonly writer: LogWriter;
  readonly metrics: Metrics;
  /** Answers what is under way, writes what is not yet written, and closes. */
  stop(): Promise<void>;
}

/** The service could not start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

// Together less than the 10 s after which a supervisor kills.
const DRAIN_MS = 5000;
const FLUSH_MS = 3000;

/** Starts the service: opens the database, and listens. */
export async function startService({ config, log, now = Date.now, limits }: ServiceOptions): Promise<Service> {
  const storage = await openStorage(config.databaseUrl);
  const undo: (() => unknown)[] = [() => storage.close()];
  try {
    await openVault(config, storage.query);
    const keys = await KeyRing.open(storage.query, (error) => log.error({ err: error }, "reading the API keys failed"));
    undo.push(() => keys.close());
    const store = new SqliteLogStore(storage, now);
    const metrics = createMetrics(() => writer);
    const writer = new LogWriter({
      commit: (entries) => store.append(entries),
      onChange: (error) =>
        error === undefined
          ? log.info("log entries are written again")
          : log.error({ err: error }, "log entries cannot be written; it is tried again"),
      onLost: (count) => metrics.lostApiLogEntries.inc(count),
    });
    let isStopping = false;
    const shared = { log, ...(limits && { limits }), isStopping: () => isStopping, notFound };

    const logCall = createApiLog({ keys, writer, publicUrl: config.publicUrl, now });
    const onAnswered = (answered: Answered): Promise<void> => {
      metrics.observe(answered);
      return logCall(answered);
    };
    const outside = createApp({ ...shared, onAnswered });
    if (config.maxLagMs > 0) await shedLoad(outside, config.maxLagMs);
    const listings = new RateLimiter(config.listingsPerMinute);
    const tokens = new RateLimiter(config.tokensPerMinute);
    const handlers = { ...logHandlers(store, writer), createAccessToken: tokenHandler(now) };
    registerOperations(outside, handlers, createGate({ keys, listings, tokens, now }));
    registerDocs(outside);

    const inside = createApp(shared);
    const fault = async (): Promise<string | undefined> => {
      if (writer.error !== undefined) return "log entries cannot be written.";
      await storage.query.selectFrom("setting").select("name").limit(1).execute();
      return undefined;
    };
    registerInside(inside, { metrics, fault });

    undo.push(() => outside.close());
    const url = await listen(outside, {
      host: config.host,
      port: config.port,
      setting: "MEDIA_PORT",
      text: (address) => `the operations are at ${address}, described at ${address}/docs`,
    });
    undo.push(() => inside.close());
    const insideUrl = await listen(inside, {
      host: config.intakeHost,
      port: config.intakePort,
      setting: "MEDIA_INTAKE_PORT",
      text: (address) => `health and metrics are at ${address}, for the inside alone`,
    });
    const endRetention = keepRetention(store, log);

    const stop = async (): Promise<void> => {
      isStopping = true;
      keys.close();
      await Promise.all([drain(outside), drain(inside), endRetention()]);
      try {
        await within(FLUSH_MS, writer.flush(), "writing the last log entries took too long");
      } finally {
        writer.close();
        await storage.close();
      }
    };
    let stopped: Promise<void> | undefined;
    return {
      url,
      insideUrl,
      storage,
      writer,
      metrics,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

function notFound({ method, url }: { method: string; url: string }): Refusal {
  const [path = ""] = url.split("?", 1);
  if (operationPaths.has(path) && method !== "POST") {
    return new Refusal("method-not-allowed", "This operation takes POST only.", { headers: { allow: "POST" } });
  }
  return new Refusal("not-found", `There is nothing at ${path}. GET /openapi.yaml lists the operations.`);
}

async function shedLoad(app: App, maxLagMs: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxLagMs,
    pressureHandler: () => {
      throw new Refusal("service-unavailable", "The service is overloaded. Try again in 2 seconds.", {
        headers: { "retry-after": "2" },
      });
    },
  });
}

interface Place {
  host: string;
  port: number;
  /** Which setting chooses the port. */
  setting: string;
  text(address: string): string;
}

async function listen(app: App, { host, port, setting, text }: Place): Promise<string> {
  try {
    await app.listen({ host, port, listenTextResolver: text });
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const reason = isTaken ? "is taken" : `cannot be listened at (${error instanceof Error ? error.message : error})`;
    throw new StartError(`${host}:${port} ${reason}. Set ${setting} to another port, or stop what has it.`, {
      cause: error,
    });
  }
  const address = app.server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/** Lets what is under way finish; who is too slow for that is cut off. */
async function drain(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
