import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** An answer of the public listener. */
interface PublicAnswer {
  /** The path of the action that was called; undefined if it was none. */
  readonly action: string | undefined;
  readonly status: number;
  readonly elapsedMs: number;
}

/** The metrics of the public listener, in whichever thread it runs. */
export interface PublicMetrics {
  readonly registry: Registry;
  /** Counts and times an answer. */
  observe(answered: PublicAnswer): void;
  /** Calls with a revoked API key, by the key's id. They are in no log. */
  readonly revokedKeyCalls: Counter<"key_id">;
  /** Connections that were closed because a limit was reached. */
  readonly closedConnections: Counter<"limit">;
}

/** Creates the public listener's metrics. Their names differ from those of {@link createMetrics}: both are on one page. */
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
  return {
    registry,
    revokedKeyCalls: new Counter({
      name: "media_revoked_key_calls_total",
      help: "Calls with a revoked API key, by the key's id. They are in no log.",
      labelNames: ["key_id"] as const,
      registers,
    }),
    closedConnections: closedConnectionsOf("public", registry),
    // A label for each misspelt path would fill the memory.
    observe({ action = "other", status, elapsedMs }) {
      answers.labels(action, String(status)).inc();
      seconds.labels(action).observe(elapsedMs / 1000);
    },
  };
}

/** Values that are read whenever the metrics are shown. */
export interface Measured {
  /** How many log entries are not yet written. */
  waiting(): number;
  /** Whether nothing is deleted, as the clock may be wrong. */
  isPaused(): boolean;
  /** How large SQLite's write-ahead log is; undefined without SQLite. */
  walBytes?: (() => Promise<number>) | undefined;
}

/** The metrics of all but the public listener. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of all but the public listener. */
export function createMetrics({ waiting, isPaused, walBytes }: Measured) {
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
  return {
    registry,
    lostLogEntries: new Counter({
      name: "media_log_entries_lost_total",
      help: "Entries of the API, media API and webhook logs that were given up because the database could not be written for long.",
      registers,
    }),
    /** What the media server sent, by its kind and outcome. */
    intake: new Counter({
      name: "media_intake_total",
      help: "What the media server sent, by its kind, and whether it was taken, quarantined, or could not be kept.",
      labelNames: ["kind", "outcome"] as const,
      registers,
    }),
    /** What the media server sent for projects that do not exist. */
    unknownProject: new Counter({
      name: "media_intake_unknown_project_total",
      help: "What the media server sent that belongs to no project of this service, by its kind.",
      labelNames: ["kind"] as const,
      registers,
    }),
    /** Clients that asked to be let in, by the rule that refused them. */
    admissions: new Counter({
      name: "media_admissions_total",
      help: "Clients that asked to be let in: allowed, or the rule that refused them.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    /** Attempts to deliver events, by their outcome. */
    deliveries: new Counter({
      name: "media_deliveries_total",
      help: "Tries to deliver events to the projects' own addresses: delivered, waiting for another try, or failed.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    /** Connections that were closed because a limit was reached. */
    closedConnections: closedConnectionsOf("internal", registry),
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
