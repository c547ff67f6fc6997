import type { Statement } from "@media-ops/database";
import { type BenchDatabase, sqliteIn } from "../databases/database.js";
import { kindNumbers, open } from "../databases/open.js";
import type { PostgresServer } from "../databases/postgres.js";
import { newId } from "../intake/events.js";
import { quantile } from "../measure.js";
import type { Result } from "../report.js";
import { makeEntry } from "../service/entries.js";
import { openFeeder } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";

const ROUNDS = 5;
const BATCHES = 20;
// As many as there are connections on the intake.
const BATCH = 256;
const REMEMBERED_MS = 31 * 24 * 60 * 60 * 1000;

/** How fast the same rows go into the same tables with nothing around it, and what they take on disk. */
export async function measureFloors(sandbox: Sandbox, server: PostgresServer): Promise<Result[]> {
  const [sqlite, postgres] = [new Floor(sqliteIn(sandbox, "floor")), new Floor(await server.make())];
  const rates: { sqlite: number; postgres: number }[] = [];
  for (const floor of [sqlite, postgres]) await floor.prepare();
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    rates.push({ sqlite: await sqlite.rate(), postgres: await postgres.rate() });
  }
  const counted = rates.slice(1);
  const ratios = counted.map((rate) => rate.postgres / rate.sqlite);
  const median = (name: "sqlite" | "postgres"): number =>
    quantile(
      counted.map((rate) => rate[name]),
      0.5,
    );
  return [
    {
      name: "scale",
      measure: `ends of connections written a second without the service, ${BATCH} in a transaction: PostgreSQL`,
      against: "SQLite",
      ours: median("postgres"),
      theirs: median("sqlite"),
      ratio: quantile(ratios, 0.5),
      goal: null,
      met: null,
      note: `the floor: one after another over one connection; middle half of ${ROUNDS} rounds ${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
    },
    await sqlite.disk(),
    await postgres.disk(),
  ];
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
    const [ours, theirs] = [
      ((await this.#database.bytes()) - this.#emptyBytes) / this.#seq,
      this.#jsonBytes / this.#seq,
    ];
    return {
      name: "scale",
      measure: `bytes that the end of a connection leaves on disk: ${this.#database.kind}`,
      against: "the entry as JSON",
      ours,
      theirs,
      ratio: ours / theirs,
      goal: null,
      met: null,
      note: "the entry, and for 31 days the note that the connection has ended; with their indexes",
    };
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
      const { timestamp, text } = makeEntry("bench", "connections", Date.now());
      this.#seq += 1;
      this.#jsonBytes += Buffer.byteLength(text);
      return {
        at: timestamp.slice(0, -1),
        seq: this.#seq,
        text,
        id: `c ${newId()}`,
        eventId: newId(),
        until: Date.now() + REMEMBERED_MS,
      };
    });
    if (this.#database.kind === "SQLite") {
      return rows.flatMap(({ at, seq, text, id, eventId, until }) => [
        {
          sql: "insert into log_entry (project_id, kind, at, seq, entry) values (?, ?, ?, ?, ?)",
          parameters: ["bench", kindNumbers.connections, at, seq, text],
        },
        {
          sql: "insert into ended (project_id, id, event_id, until) values (?, ?, ?, ?)",
          parameters: ["bench", id, eventId, until],
        },
      ]);
    }
    const column = (name: keyof (typeof rows)[number]) => rows.map((row) => row[name]);
    return [
      {
        sql: `insert into log_entry (project_id, kind, at, seq, entry)
          select $1, $2::integer, * from unnest($3::text[], $4::bigint[], $5::text[])`,
        parameters: ["bench", kindNumbers.connections, column("at"), column("seq"), column("text")],
      },
      {
        sql: `insert into ended (project_id, id, event_id, until)
          select $1, * from unnest($2::text[], $3::text[], $4::bigint[])`,
        parameters: ["bench", column("id"), column("eventId"), column("until")],
      },
    ];
  }
}
