// Runs in a thread of its own, so that a flood of public calls takes no time from the intake.
import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { DatabaseError, lookAtDatabase } from "@media-ops/database";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { OpenFileShares } from "../config/share-open-files.js";
import { logChange } from "../health.js";
import { StartError } from "../http/listening.js";
import { KeyRing } from "../keys/key-ring.js";
import { createLog } from "../log.js";
import { listingCacheBytes } from "../logs/cached-listings.js";
import type { Listings } from "../logs/log-store.js";
import { type PublicListener, startPublicListener } from "../outside.js";
import { migrations } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { listingsOf } from "../stores.js";
import { EntryPort } from "./entry-port.js";
import type { FromThread, ThreadData, ToThread } from "./messages.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

// Enough for the intake to keep its pace; public calls still get a third as much as what else runs on a busy core.
const NICER_BY = 5;

lowerPriority();
const send = (message: FromThread): void => port.postMessage(message);
const entries = new EntryPort(send);
const ownMetrics = collectOwnMetrics();
let databaseFault: string | undefined;
let listener: Promise<PublicListener> | undefined;

port.on("message", (message: ToThread) => void answer(message).catch(fail));
process.on("uncaughtException", fail);

async function start({ config, connections }: ThreadData, openFiles: OpenFileShares): Promise<PublicListener> {
  const log = createLog({ level: config.logLevel });
  const now = Date.now;
  const database = await lookAtDatabase<Tables>(config.databaseUrl, {
    owner: "service",
    migrations,
    isOpenInProcess: true,
    ...(connections !== undefined && { connections }),
  });
  let keys: KeyRing | undefined;
  const close = async (): Promise<void> => {
    keys?.close();
    await database.close();
  };
  try {
    keys = await KeyRing.open(
      database.query,
      logChange(
        log,
        "the public listener cannot read the API keys; those that are known stay good",
        "the public listener reads the API keys again",
      ),
    );
    const listings = whileUsable(listingsOf(database, now, listingCacheBytes(config)));
    const started = await startPublicListener({ config, log, now, keys, listings, writer: entries, openFiles });
    return { ...started, stop: () => started.stop().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Another database may lie in the place of ours: only the main thread watches that. */
function whileUsable(listings: Listings): Listings {
  return {
    async list(projectId, kind) {
      if (databaseFault !== undefined) throw new DatabaseError("moved", databaseFault);
      return listings.list(projectId, kind);
    },
  };
}

async function answer(message: ToThread): Promise<void> {
  switch (message.type) {
    case "start":
      listener = start(workerData as ThreadData, message.openFiles);
      send({ type: "listening", url: (await listener).url });
      return;
    case "ping":
      send({ type: "pong" });
      return;
    case "database":
      databaseFault = message.fault;
      return;
    case "settled":
      entries.onSettled(message.id);
      return;
    case "metrics": {
      const texts = await Promise.all([(await listener)?.metrics(), ownMetrics.metrics()]);
      send({ type: "metrics", text: texts.join("\n") });
      return;
    }
    case "stop":
      try {
        await (await listener)?.stop();
      } finally {
        entries.flush();
        port?.close();
      }
  }
}

/** The main thread stops the whole service then: what is under way is still answered. */
function fail(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  send({ type: "failed", message, stack: isExpected ? undefined : stack });
}

/** If both threads want the same core, the intake goes first. Only Linux has a priority for each thread. */
function lowerPriority(): void {
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, Math.min(constants.priority.PRIORITY_LOW, getPriority(threadId) + NICER_BY));
  } catch {
    // The thread is still one of its own.
  }
}

/** How late this thread's event loop is, and how much memory it takes; the main thread shows the whole process. */
function collectOwnMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "media_public_" });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!/_nodejs_(eventloop_lag|heap_size|gc)_/.test(name)) registry.removeSingleMetric(name);
  }
  return registry;
}
