import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Glimpse, lookAtDatabase } from "@media-ops/database";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "../config/config.js";
import { migrations } from "../storage/migrations.js";
import type { Tables } from "../storage/tables.js";

/** The data with which a thread is started. */
export interface ThreadData {
  readonly config: Config;
  /** How many connections to PostgreSQL it may have; undefined for SQLite. */
  readonly connections: number | undefined;
}

/** Opens the database that the main thread has opened, to read it in another thread. */
export const openInThread = ({ config, connections }: ThreadData): Promise<Glimpse<Tables>> =>
  lookAtDatabase<Tables>(config.databaseUrl, {
    owner: "service",
    migrations,
    isOpenInProcess: true,
    ...(connections !== undefined && { connections }),
  });

/** The port and the data of this thread, whose priority becomes lower by `nicerBy`. */
export function inThread(nicerBy: number): { port: MessagePort; data: ThreadData } {
  if (!parentPort) throw new Error("This program is run as a worker thread.");
  try {
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(threadId, Math.min(constants.priority.PRIORITY_LOW, getPriority(threadId) + nicerBy));
  } catch {
    // Only Linux has a priority for each thread. Elsewhere both have the same.
  }
  return { port: parentPort, data: workerData as ThreadData };
}

/** Metrics of this thread's event loop and memory; the main thread has those of the whole process. */
export function collectThreadMetrics(prefix: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!/_nodejs_(eventloop_lag|heap_size|gc)_/.test(name)) registry.removeSingleMetric(name);
  }
  return registry;
}
