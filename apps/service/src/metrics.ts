import type { ClockGuard } from "@media-ops/database";
import { Counter, Gauge, Registry } from "prom-client";
import type { LogWriter } from "./logs/log-writer.js";
import { walBytes } from "./storage/open-storage.js";

/** Creates the metrics of reads; `unindexed` counts the log entries that are not indexed. */
export function createReadMetrics(unindexed: () => number) {
  const registry = new Registry();
  gaugeIn(
    registry,
    "log_entries_unindexed",
    "Log entries that are not indexed yet: searches read them one by one.",
    unindexed,
  );
  return {
    registry,
    searches: counterIn(
      registry,
      "searches_total",
      "Searches of a log (listing) and counts of its entries (count): those that ended, and those that ran out of time and answered with a part.",
      ["kind", "outcome"],
    ),
  };
}

// With all reasons and outcomes, some thousand time series.
const MAX_PROJECTS = 200;

/** All metrics except the public listener's. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics except the public listener's. */
export function createMetrics(writer: LogWriter, clock: ClockGuard, file: string | undefined) {
  const registry = new Registry();
  gaugeIn(registry, "log_entries_waiting", "Log entries that are not yet written.", () => writer.waiting);
  const pausedHelp = "1 while old data is kept for longer, as the clock may be wrong; 0 otherwise.";
  gaugeIn(registry, "retention_paused", pausedHelp, () => (clock.pause === undefined ? 0 : 1));
  if (file !== undefined) {
    const help = "Size of SQLite's write-ahead log. It grows while another program keeps a transaction open.";
    gaugeIn(registry, "sqlite_wal_bytes", help, () => walBytes(file));
  }
  new Counter({
    name: "media_log_entries_lost_total",
    help: "Entries of the API, media API and webhook logs that were given up because the database could not be written for long.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(writer.lost);
    },
  });
  const troubles = counterIn(
    registry,
    "troubled_clients_total",
    `Clients that were refused, and connections that failed, by project and reason. Beyond ${MAX_PROJECTS} projects, the others are counted together.`,
    ["project", "outcome", "reason"],
  );
  const projects = new Set<string>();
  return {
    registry,
    /** Counts a client that was refused, or a connection that failed. */
    troubled(projectId: string, outcome: "refused" | "failed", reason = "unknown"): void {
      if (projects.size < MAX_PROJECTS) projects.add(projectId);
      troubles.labels(projects.has(projectId) ? projectId : "", outcome, reason).inc();
    },
    intake: counterIn(
      registry,
      "intake_total",
      "What the media server sent, by its kind, and whether it was taken, quarantined, or could not be kept.",
      ["kind", "outcome"],
    ),
    unknownProject: counterIn(
      registry,
      "intake_unknown_project_total",
      "What the media server sent that belongs to no project of this service, by its kind.",
      ["kind"],
    ),
    admissions: counterIn(
      registry,
      "admissions_total",
      "Clients that requested admission: allowed, or the reason why they were refused.",
      ["outcome"],
    ),
    deliveries: counterIn(
      registry,
      "deliveries_total",
      "Tries to deliver events to the projects' own addresses: delivered, waiting for another try, or failed.",
      ["outcome"],
    ),
    closedConnections: closedConnectionsOf("internal", registry),
  };
}

/** Counts closed connections. Each listener has its own name, since each counts in a separate registry. */
export const closedConnectionsOf = (listener: "public" | "internal", registry: Registry) =>
  counterIn(
    registry,
    `${listener}_connections_closed_total`,
    `Connections closed because the ${listener} listener had reached a limit: of one address, or of all.`,
    ["limit"],
  );

/** Adds a counter. */
export function counterIn<Label extends string>(registry: Registry, name: string, help: string, labelNames: Label[]) {
  return new Counter({ name: `media_${name}`, help, labelNames, registers: [registry] });
}

function gaugeIn(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name: `media_${name}`,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
