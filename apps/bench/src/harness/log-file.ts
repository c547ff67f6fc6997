import { Sqlite } from "@media-ops/database/load-sqlite";
import type { LogKind } from "@media-ops/sdk";
import type { Database, Statement } from "better-sqlite3";
import type { StoredEntry } from "./entries.js";

// Must match the numbers in the service's tables.
export const kindNumbers: Readonly<Record<LogKind, number>> = {
  sessions: 1,
  connections: 2,
  api: 3,
  "media-api": 4,
  webhooks: 5,
  events: 6,
};
const LOCK_MS = 5000;

/** Without trailing zeros and the zone, timestamps sort as text. */
export const sortKey = (timestamp: string): string => timestamp.replace(/\.?0*Z$/, "");

/**
 * Accesses the logs in the service's SQLite file directly. It fills them faster than HTTP could, commits single entries
 * that a listing must then show, and counts the stored entries.
 */
export class LogFile {
  readonly #db: Database;
  readonly #count: Statement;
  readonly #add: Statement;

  /** @param file Must have its tables already, which creating a project does. */
  constructor(file: string) {
    const db = new Sqlite(file);
    // Only the service is measured, not this connection.
    db.pragma("synchronous = OFF");
    db.pragma("busy_timeout = 0");
    this.#db = db;
    this.#count = db.prepare(`
      insert into log_head (project_id, kind, seq) values (?, ?, 1)
      on conflict (project_id, kind) do update set seq = seq + 1 returning seq`);
    this.#add = db.prepare("insert into log_entry (project_id, kind, at, seq, entry) values (?, ?, ?, ?, ?)");
  }

  /** Commits entries in one transaction. */
  append(entries: Iterable<StoredEntry>): void {
    this.#begin();
    for (const { projectId, kind, timestamp, text } of entries) {
      const log = [projectId, kindNumbers[kind]];
      const { seq } = this.#count.get(...log) as { seq: number };
      this.#add.run(...log, sortKey(timestamp), seq, text);
    }
    this.#db.exec("commit");
  }

  /** Returns the bytes that the database takes on the disk, without what is to be checkpointed. */
  bytes(): number {
    const [pages, size] = ["page_count", "page_size"].map((name) => Number(this.#db.pragma(name, { simple: true })));
    return (pages ?? 0) * (size ?? 0);
  }

  /** Returns the number of entries in all logs of a kind. */
  count(kind: LogKind): number {
    const counted = this.#db.prepare("select count(*) from log_entry where kind = ?").pluck();
    return Number(counted.get(kindNumbers[kind]));
  }

  /** Returns the number of distinct values of a JSON field among the entries of a kind. */
  countDistinct(kind: LogKind, field: string): number {
    const counted = this.#db.prepare("select count(distinct entry ->> ?) from log_entry where kind = ?").pluck();
    return Number(counted.get(field, kindNumbers[kind]));
  }

  close(): void {
    this.#db.close();
  }

  /** Retries immediately, because SQLite itself would sleep for much longer than the service's commit takes. */
  #begin(): void {
    const deadline = performance.now() + LOCK_MS;
    while (!this.#db.inTransaction) {
      try {
        this.#db.exec("begin immediate");
      } catch (error) {
        const isBusy = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
        if (!isBusy || performance.now() > deadline) throw error;
      }
    }
  }
}
