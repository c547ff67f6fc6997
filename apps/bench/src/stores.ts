import { Sqlite } from "@media-ops/database/load-sqlite";
import type { Database, Statement } from "better-sqlite3";
import { Client } from "pg";
import { DAY_MS, kinds, type MeasuredKind, perKind, type StoredEntry } from "./entries.js";

// The service's tables number the logs in the contract's order.
const kindNumbers = perKind((kind) => kinds.indexOf(kind) + 1);
const LOCK_MS = 5000;

/** Without trailing zeros and the zone, timestamps sort as text. */
const sortKey = (timestamp: string): string => timestamp.replace(/\.?0*Z$/, "");

/** The logs in the database of a service. */
export interface LogStore {
  /** Commits entries in one transaction. */
  append(entries: readonly StoredEntry[]): void | Promise<void>;
  /** Ends the access, when the service is about to use the logs. */
  close(): void | Promise<void>;
}

/**
 * Accesses the logs in the service's SQLite file directly. It fills them faster than HTTP could, commits single entries
 * that a listing must then show, and counts the stored entries.
 */
export class LogFile implements LogStore {
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

  /** Returns the number of entries in all logs of a kind. */
  count(kind: MeasuredKind): number {
    const counted = this.#db.prepare("select count(*) from log_entry where kind = ?").pluck();
    return Number(counted.get(kindNumbers[kind]));
  }

  /** Returns the number of distinct values of a JSON field among the entries of a kind. */
  countDistinct(kind: MeasuredKind, field: string): number {
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

/** Fills the logs of one project in PostgreSQL, faster than HTTP could. */
export class PostgresLogs implements LogStore {
  readonly #client: Client;
  readonly #seqs = perKind(() => 0);

  private constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Opens a database whose logs are empty.
   *
   * @param url Must have its tables already, which creating a project does.
   * @param from The time of the oldest entry. Each day until the current one gets its partition, as if the service had run.
   */
  static async open(url: string, from: number): Promise<PostgresLogs> {
    const client = new Client({ connectionString: url });
    // If the row fails, its server stops first; the row's own error is reported.
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'log_entry'::regclass",
    );
    for (const { name } of rows) await client.query(`drop table ${name}`);
    const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
    const add = (name: string, first: string, end: string) =>
      client.query(`create table log_entry_${name} partition of log_entry for values from (${first}) to (${end})`);
    const days: string[] = [];
    for (let at = from; at < Date.now() + DAY_MS; at += DAY_MS) days.push(dayOf(at));
    await add("early", "minvalue", `'${days[0]}'`);
    for (const [at, day] of days.slice(0, -1).entries())
      await add(`d${day.replaceAll("-", "")}`, `'${day}'`, `'${days[at + 1]}'`);
    await add("late", `'${days.at(-1)}'`, "maxvalue");
    return new PostgresLogs(client);
  }

  /** Commits entries of one project in one transaction. */
  async append(entries: readonly StoredEntry[]): Promise<void> {
    const projectId = entries[0]?.projectId;
    const seqs = entries.map(({ kind }) => {
      this.#seqs[kind] += 1;
      return this.#seqs[kind];
    });
    await this.#client.query("begin");
    await this.#client.query(
      `insert into log_head (project_id, kind, seq) select $1, * from unnest($2::integer[], $3::bigint[])
       on conflict (project_id, kind) do update set seq = excluded.seq`,
      [projectId, kinds.map((kind) => kindNumbers[kind]), kinds.map((kind) => this.#seqs[kind])],
    );
    await this.#client.query(
      "insert into log_entry select $1, * from unnest($2::integer[], $3::text[], $4::bigint[], $5::text[])",
      [
        projectId,
        entries.map(({ kind }) => kindNumbers[kind]),
        entries.map(({ timestamp }) => sortKey(timestamp)),
        seqs,
        entries.map(({ text }) => text),
      ],
    );
    await this.#client.query("commit");
  }

  /** Does first what autovacuum would do soon, so that it does not disturb the measurements. */
  async close(): Promise<void> {
    await this.#client.query("vacuum (analyze)");
    await this.#client.query("checkpoint");
    await this.#client.end();
  }
}
