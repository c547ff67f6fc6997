import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Answered } from "./http/create-app.js";
import { operationPaths } from "./http/operations.js";
import type { IntakeKind } from "./intake/kind-names.js";
import { Tally } from "./tally.js";

/** What the public listener counts, in whichever thread it runs. */
export interface PublicMetrics {
  readonly registry: Registry;
  /** Counts and times an answer. */
  observe(answered: Answered): void;
  /** Calls with a revoked API key, by the key's id. They stand in no log. */
  readonly revokedKeyCalls: Counter<"key_id">;
  /** Connections that were closed because a limit was reached. */
  readonly closedConnections: Counter<"limit">;
}

/** What the rest of the service counts. */
export interface Metrics {
  readonly registry: Registry;
  /** What the media server sent, by its kind and by what became of it. */
  readonly intake: Tally<IntakeKind, "taken" | "quarantined" | "failed">;
  /** What the media server sent that belongs to no project here. */
  readonly unknownProject: Counter<"kind">;
  /** Clients that asked to be let in, by the rule that refused them. */
  readonly admissions: Counter<"outcome">;
  /** Connections that were closed because a limit was reached. */
  readonly closedConnections: Counter<"limit">;
  /** Tries to deliver events, by what became of them. */
  readonly deliveries: Counter<"outcome">;
}

/** The public listener's metrics. Their names differ from those of {@link createMetrics}: both are shown on one page. */
export function createPublicMetrics(): PublicMetrics {
  const registry = new Registry();
  const registers = [registry];
  const answers = new Counter({
    name: "media_answers_total",
    help: "Answers of the operations, by their path and status.",
    labelNames: ["path", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "media_answer_seconds",
    help: "How long the operations took, by their path.",
    labelNames: ["path"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const revokedKeyCalls = new Counter({
    name: "media_revoked_key_calls_total",
    help: "Calls with a revoked API key, by the key's id. They stand in no log.",
    labelNames: ["key_id"] as const,
    registers,
  });
  return {
    registry,
    revokedKeyCalls,
    closedConnections: closedConnectionsOf("public", registry),
    observe({ path, status, elapsedMs }) {
      // A label for each misspelt address would fill the memory.
      const label = operationPaths.has(path) ? path : "other";
      answers.labels(label, String(status)).inc();
      seconds.labels(label).observe(elapsedMs / 1000);
    },
  };
}

/** What is measured whenever the metrics are read. */
export interface Measured {
  /** How many log entries are not yet written. */
  waiting(): number;
  /** How many log entries were given up. */
  lost(): number;
  /** Whether nothing is deleted, as the clock may be wrong. */
  isPaused(): boolean;
  /** How large SQLite's write-ahead log is; left out if there is none. */
  walBytes?: (() => Promise<number>) | undefined;
}

export function createMetrics({ waiting, lost, isPaused, walBytes }: Measured): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "media_log_entries_waiting",
    help: "Log entries that are not yet written.",
    registers,
    collect() {
      this.set(waiting());
    },
  });
  if (walBytes) {
    new Gauge({
      name: "media_sqlite_wal_bytes",
      help: "Size of SQLite's write-ahead log. It grows while another program keeps a transaction open.",
      registers,
      async collect() {
        this.set(await walBytes());
      },
    });
  }
  new Gauge({
    name: "media_retention_paused",
    help: "1 while nothing is deleted, as the clock may be wrong; 0 otherwise.",
    registers,
    collect() {
      this.set(isPaused() ? 1 : 0);
    },
  });
  new Counter({
    name: "media_log_entries_lost_total",
    help: "Entries of the API, media API and webhook logs that were given up because the database could not be written for long.",
    registers,
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
  const intake: Metrics["intake"] = new Tally({
    name: "media_intake_total",
    help: "What the media server sent, by its kind, and whether it was taken, quarantined, or could not be kept.",
    labelNames: ["kind", "outcome"],
    registers,
  });
  const unknownProject = new Counter({
    name: "media_intake_unknown_project_total",
    help: "What the media server sent that belongs to no project of this service, by its kind.",
    labelNames: ["kind"] as const,
    registers,
  });
  const admissions = new Counter({
    name: "media_admissions_total",
    help: "Clients that asked to be let in: allowed, or the rule that refused them.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const deliveries = new Counter({
    name: "media_deliveries_total",
    help: "Tries to deliver events to the projects' own addresses: delivered, waiting for another try, or failed.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const closedConnections = closedConnectionsOf("internal", registry);
  return {
    registry,
    intake,
    unknownProject,
    admissions,
    deliveries,
    closedConnections,
  };
}

// A name for each listener, since each counts in a registry of its own.
function closedConnectionsOf(listener: "public" | "internal", registry: Registry): Counter<"limit"> {
  return new Counter({
    name: `media_${listener}_connections_closed_total`,
    help: `Connections closed because the ${listener} listener had reached a limit: of one address, or of all.`,
    labelNames: ["limit"],
    registers: [registry],
  });
}
