import type { Statement } from "@media-ops/database";
import { type BenchDatabase, sqliteIn } from "../databases/database.js";
import { makeEndRow, postgresEnds, sqliteEnd } from "../databases/end-rows.js";
import { open } from "../databases/open.js";
import type { PostgresServer } from "../databases/postgres.js";
import { takeTurns } from "../measure.js";
import { compare, type Result, tell } from "../report.js";
import { openFeeder } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";

const ROUNDS = 5;
const BATCHES = 20;
// As many as there are connections on the intake.
const BATCH = 256;

/** How fast the same rows go into the same tables with nothing around it, and what they take on disk. */
export async function measureFloors(sandbox: Sandbox, server: PostgresServer): Promise<Result[]> {
  const [sqlite, postgres] = [new Floor(sqliteIn(sandbox, "floor")), new Floor(await server.make())];
  for (const floor of [sqlite, postgres]) await floor.prepare();
  const rates = await takeTurns({ sqlite: () => sqlite.rate(), postgres: () => postgres.rate() }, ROUNDS, 1);
  const written = {
    name: "scale",
    measure: `ends of connections written a second without the service, ${BATCH} in a transaction: PostgreSQL`,
    against: "SQLite",
    note: "the floor: one after another over one connection",
  };
  return [compare(written, rates.postgres, rates.sqlite), await sqlite.disk(), await postgres.disk()];
}

class Floor {
  readonly #database: BenchDatabase;
  #seq = 0;
  #emptyBytes = 0;
  #jsonBytes = 0;

  constructor(database: BenchDatabase) {
    this.#database = database;
  }

  /** The service makes its tables. */
  async prepare(): Promise<void> {
    await (await openFeeder(this.#database.url)).close();
    this.#emptyBytes = await this.#database.bytes();
  }

  /** What the end of a connection takes: its entry, and the note that it has ended. */
  async disk(): Promise<Result> {
    const telling = {
      name: "scale",
      measure: `bytes that the end of a connection leaves on disk: ${this.#database.kind}`,
      against: "the entry as JSON",
      note: "the entry, and for 31 days the note that the connection has ended; with their indexes",
    };
    const grown = (await this.#database.bytes()) - this.#emptyBytes;
    return tell(telling, grown / this.#seq, this.#jsonBytes / this.#seq);
  }

  async rate(): Promise<number> {
    const database = await open(this.#database.url);
    const batches = Array.from({ length: BATCHES }, () => this.#batch());
    const started = performance.now();
    for (const batch of batches) await database.writeAll(batch);
    const ms = performance.now() - started;
    await database.close();
    return ((BATCHES * BATCH) / ms) * 1000;
  }

  #batch(): Statement[] {
    const rows = Array.from({ length: BATCH }, () => {
      this.#seq += 1;
      const row = makeEndRow(this.#seq);
      this.#jsonBytes += Buffer.byteLength(row.text);
      return row;
    });
    if (this.#database.kind === "SQLite") {
      const statements = Object.values(sqliteEnd);
      return rows.flatMap((row) => statements.map(({ sql, parameters }) => ({ sql, parameters: parameters(row) })));
    }
    return Object.values(postgresEnds).map(({ sql, parameters }) => ({ sql, parameters: parameters(rows) }));
  }
}
