import { type BenchDatabase, sqliteIn } from "../databases/database.js";
import { withPostgres } from "../databases/postgres.js";
import { type Result, ratioAtMost, tell } from "../report.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { measureListings } from "./listings.js";
import { measureMemory } from "./memory.js";
import { type Sizes, Stored } from "./stored.js";

const FEW = 10_000;
const MANY = 1_000_000;
const MOST = 10_000_000;
const MAX_DISK = 1.6;
// Of each database what it adds to the JSON.
const IN_THE_WAY = {
  SQLite: undefined,
  PostgreSQL:
    "beside the text stand 28 bytes of PostgreSQL's own and the key, and the key once more in an index whose pages stay half full, as every log grows in the midst of it",
} as const;

/**
 * What becomes of the service when a project's age grows: nothing. For a quick look, `BENCH_ENTRIES` says how many entries
 * the largest database gets instead of 10 million; the one in between then gets a tenth of them.
 */
export async function benchGrowth(): Promise<Result[]> {
  const counts = chosenCounts();
  const onSqlite = await withSandbox((sandbox) => measureAll(sandbox, counts, async (name) => sqliteIn(sandbox, name)));
  // SQLite's files are gone by now: together they would need much room.
  const onPostgres = await withSandbox((sandbox) =>
    withPostgres(
      async (server) => {
        const results = await measureAll(sandbox, counts, () => server.make());
        return results.map((result) => ({ ...result, note: `${result.note}; ${server.described}` }));
      },
      // What is put in is not written twice: see fillPostgres.
      { wal_level: "minimal", max_wal_senders: "0" },
    ),
  );
  return [...onSqlite, ...onPostgres];
}

type Counts = Record<keyof Sizes, number>;

function chosenCounts(): Counts {
  const { BENCH_ENTRIES } = process.env;
  if (!BENCH_ENTRIES) return { few: FEW, many: MANY, most: MOST };
  const most = Number(BENCH_ENTRIES);
  if (!(most >= FEW) || most % FEW !== 0) throw new Error(`BENCH_ENTRIES is a multiple of ${FEW}.`);
  return { few: FEW, many: Math.ceil(most / 10 / FEW) * FEW, most };
}

async function measureAll(
  sandbox: Sandbox,
  counts: Counts,
  database: (name: string) => Promise<BenchDatabase>,
): Promise<Result[]> {
  const make = async (size: keyof Sizes): Promise<Stored> => Stored.make(await database(size), counts[size]);
  const sizes = { few: await make("few"), many: await make("many"), most: await make("most") };
  const results = [
    ...(await measureListings(sandbox, sizes)),
    ...(await measureMemory(sandbox, sizes)),
    disk(sizes.most),
  ];
  for (const stored of Object.values(sizes)) await stored.close();
  return results;
}

function disk({ bytes, count, database }: Stored): Result {
  const each = `${(bytes.disk / count).toFixed(0)} bytes each, ${(bytes.json / count).toFixed(0)} of them JSON`;
  return tell(
    {
      name: "growth",
      measure: `${database.kind}: disk, MB`,
      against: "the entries as JSON",
      goal: ratioAtMost(MAX_DISK),
      note: `${count} entries, written in the order of their time: ${each}`,
      inTheWay: IN_THE_WAY[database.kind],
    },
    bytes.disk / 1e6,
    bytes.json / 1e6,
  );
}
