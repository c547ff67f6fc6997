import assert from "node:assert/strict";
import type { BenchDatabase } from "../databases/database.js";
import { type Answer, Connections } from "../service/connection.js";
import { listings, makeEntry, measured, type NewEntry } from "../service/entries.js";
import { type Feeder, openFeeder } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, type ServiceProcess, startServiceProcess } from "../service/service-process.js";
import { fillPostgres } from "./fill-postgres.js";
import { fillSqlite } from "./fill-sqlite.js";
import { MadeEntries } from "./made-entries.js";

const DAY_MS = 24 * 60 * 60 * 1000;
// A little less than the window, so that nothing falls out of it while we measure.
const DAYS = 29.9;
const LATE_MS = 29.5 * DAY_MS;
const LISTED = 1000;

/** What is known of a database once it is full. */
interface Filled {
  readonly database: BenchDatabase;
  readonly entries: MadeEntries;
  readonly disk: number;
  readonly apiKey: string;
  readonly feeder: Feeder;
}

/** A database with so many entries, and what there is to know of it. */
export class Stored {
  readonly database: BenchDatabase;
  readonly count: number;
  /** The bytes of all entries as JSON, and of the database. */
  readonly bytes: { readonly json: number; readonly disk: number };
  /** The measured project's. */
  readonly apiKey: string;
  /** The texts of the measured log's newest entries, the newest first. */
  readonly #newest: string[];
  #listing: Buffer | undefined;
  readonly #feeder: Feeder;

  private constructor({ database, entries, disk, apiKey, feeder }: Filled) {
    this.database = database;
    this.count = entries.count;
    this.bytes = { json: entries.json, disk };
    this.apiKey = apiKey;
    this.#newest = entries.newest(LISTED);
    this.#feeder = feeder;
  }

  static async make(database: BenchDatabase, count: number): Promise<Stored> {
    const { url, kind } = database;
    const until = Date.now();
    const entries = new MadeEntries({ count, from: until - DAYS * DAY_MS, until });
    await (kind === "SQLite" ? fillSqlite(url, entries) : fillPostgres(url, entries));
    const disk = await database.bytes();
    const apiKey = await createProject(url, measured.projectId);
    return new Stored({ database, entries, disk, apiKey, feeder: await openFeeder(url) });
  }

  /** What the measured log's listing must answer. */
  get listing(): Buffer {
    this.#listing ??= Buffer.from(`[${this.#newest.join(",")}]`);
    return this.#listing;
  }

  /** Writes one more entry to the measured log, past the service that is measured. */
  async append(): Promise<void> {
    const entry = makeEntry(measured.projectId, measured.kind, Date.now());
    await this.#feeder.append([entry]);
    this.#note(entry);
  }

  /** The same, but one that comes so late that no listing shows it. */
  async appendLate(): Promise<void> {
    await this.#feeder.append([makeEntry(measured.projectId, measured.kind, Date.now() - LATE_MS)]);
  }

  async close(): Promise<void> {
    await this.#feeder.close();
  }

  #note({ text }: NewEntry): void {
    this.#listing = undefined;
    this.#newest.unshift(text);
    if (this.#newest.length > LISTED) this.#newest.pop();
  }
}

/** The service on a database, in a process of its own. */
export interface Served {
  readonly stored: Stored;
  readonly service: ServiceProcess;
  readonly connection: Connections;
  /** What it answers to whoever lists the measured log. */
  readonly answer: Answer;
  stop(): Promise<void>;
}

/** Starts the service, and looks whether it lists what was put in. */
export async function serve(sandbox: Sandbox, stored: Stored): Promise<Served> {
  const service = await startServiceProcess(sandbox, stored.database.url);
  const connection = new Connections(service.url);
  const answer = await connection.answer({ path: listings[measured.kind], apiKey: stored.apiKey });
  const text = answer.body.toString();
  assert.equal(text, stored.listing.toString(), "the newest entries are listed as they were put in");
  assert.equal(JSON.parse(text).length, LISTED);
  return {
    stored,
    service,
    connection,
    answer,
    async stop() {
      connection.close();
      await service.stop();
    },
  };
}

/** The databases by how many entries are in them: 10 thousand, 1 million, and 10 million. */
export type Sizes = Readonly<Record<"few" | "many" | "most", Stored>>;
