import assert from "node:assert/strict";
import type { BenchDatabase } from "../databases/database.js";
import { Connections } from "../service/connection.js";
import { listings, makeEntries, makeEntry, measured, type NewEntry } from "../service/entries.js";
import { type Feeder, fill, openFeeder } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, type ServiceProcess, startServiceProcess } from "../service/service-process.js";
import { fillPostgres } from "./fill-postgres.js";

const DAY_MS = 24 * 60 * 60 * 1000;
// A little less than the window, so that nothing falls out of it while we measure.
const DAYS = 29.9;
const LATE_MS = 29.5 * DAY_MS;
const LISTED = 1000;

/** A database with so many entries, and what there is to know of it. */
export class Stored {
  readonly count: number;
  readonly database: BenchDatabase;
  /** The bytes of all entries as JSON, and of the database. */
  readonly bytes = { json: 0, disk: 0 };
  /** The measured project's. */
  apiKey = "";
  /** The texts of the measured log's newest entries, the newest first. */
  readonly #newest: string[] = [];
  #feeder: Feeder | undefined;

  private constructor(database: BenchDatabase, count: number) {
    this.database = database;
    this.count = count;
  }

  static async make(database: BenchDatabase, count: number): Promise<Stored> {
    const stored = new Stored(database, count);
    const until = Date.now();
    const span = { count, from: until - DAYS * DAY_MS, until };
    if (database.kind === "SQLite") await fill(database.url, count, stored.#noted(makeEntries(span)));
    else {
      const { json, newest } = await fillPostgres(database.url, span, LISTED);
      stored.bytes.json = json;
      stored.#newest.push(...newest);
    }
    stored.bytes.disk = await database.bytes();
    stored.apiKey = await createProject(database.url, measured.projectId);
    stored.#feeder = await openFeeder(database.url);
    return stored;
  }

  /** What the measured log's listing must answer. */
  get listing(): string {
    return `[${this.#newest.join(",")}]`;
  }

  get newest(): string {
    return this.#newest[0] ?? "";
  }

  /** Writes one more entry to the measured log, past the service that is measured. */
  async append(): Promise<void> {
    const entry = makeEntry(measured.projectId, measured.kind, Date.now());
    await this.#feeder?.append([entry]);
    this.#note(entry);
  }

  /** The same, but one that comes so late that no listing shows it. */
  async appendLate(): Promise<void> {
    await this.#feeder?.append([makeEntry(measured.projectId, measured.kind, Date.now() - LATE_MS)]);
  }

  async close(): Promise<void> {
    await this.#feeder?.close();
  }

  *#noted(entries: Iterable<NewEntry>): Generator<NewEntry> {
    for (const entry of entries) {
      this.bytes.json += Buffer.byteLength(entry.text);
      if (entry.kind === measured.kind && entry.projectId === measured.projectId) this.#note(entry);
      yield entry;
    }
  }

  #note({ text }: NewEntry): void {
    this.#newest.unshift(text);
    if (this.#newest.length > LISTED) this.#newest.pop();
  }
}

/** The service on a database, in a process of its own. */
export interface Served {
  readonly stored: Stored;
  readonly service: ServiceProcess;
  readonly connection: Connections;
  stop(): Promise<void>;
}

/** Starts the service, and looks whether it lists what was put in. */
export async function serve(sandbox: Sandbox, stored: Stored): Promise<Served> {
  const service = await startServiceProcess(sandbox, stored.database.url);
  const connection = new Connections(service.url);
  const answer = await connection.call({ path: listings[measured.kind], apiKey: stored.apiKey });
  assert.equal(answer.toString(), stored.listing, "the newest entries are listed as they were put in");
  assert.equal(JSON.parse(stored.listing).length, LISTED);
  return {
    stored,
    service,
    connection,
    async stop() {
      connection.close();
      await service.stop();
    },
  };
}

/** The databases with few and with many entries. */
export interface Pair {
  readonly few: Stored;
  readonly many: Stored;
}
