import { fork } from "node:child_process";
import { once } from "node:events";
import { type BenchDatabase, sqliteIn } from "../databases/database.js";
import { withPostgres } from "../databases/postgres.js";
import { quantile } from "../measure.js";
import type { Result } from "../report.js";
import { Connections } from "../service/connection.js";
import { show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { type Listed, measureListing, type Situation, situations } from "./listing.js";
import { measureMemory } from "./memory.js";
import { type Pair, Stored, serve } from "./stored.js";

const FEW = 10_000;
const MANY = { SQLite: 5_000_000, PostgreSQL: 10_000_000 };
// Two processes of one program differ by a tenth for as long as they live; the median of several starts does not.
const STARTS = 5;
const MAX_GROWTH = 1.2;
const MAX_MS = 2;
const MAX_DISK = 1.6;

/** What becomes of the service when a project's age grows: nothing. `BENCH_ENTRIES` chooses fewer for a quick look. */
export async function benchGrowth(): Promise<Result[]> {
  const chosen = Number(process.env.BENCH_ENTRIES || Number.NaN);
  if (process.env.BENCH_ENTRIES && (!(chosen >= FEW) || chosen % FEW !== 0)) {
    throw new Error(`BENCH_ENTRIES is a multiple of ${FEW}.`);
  }
  const many = (kind: keyof typeof MANY): number => chosen || MANY[kind];
  return withSandbox(async (sandbox) => {
    const files = { few: sqliteIn(sandbox, "few"), many: sqliteIn(sandbox, "many") };
    const onSqlite = await measureAll(sandbox, files, many("SQLite"));
    const onPostgres = await withPostgres(async (server) => {
      const results = await measureAll(
        sandbox,
        { few: await server.make(), many: await server.make() },
        many("PostgreSQL"),
      );
      return results.map((result) => ({ ...result, note: `${result.note}; ${server.described}` }));
    });
    return [...onSqlite, ...onPostgres];
  });
}

async function measureAll(
  sandbox: Sandbox,
  databases: Record<keyof Pair, BenchDatabase>,
  count: number,
): Promise<Result[]> {
  const pair = { few: await Stored.make(databases.few, FEW), many: await Stored.make(databases.many, count) };
  const results = [...(await measureListings(sandbox, pair)), ...(await measureMemory(sandbox, pair)), disk(pair.many)];
  for (const stored of [pair.few, pair.many]) await stored.close();
  return results;
}

async function measureListings(sandbox: Sandbox, pair: Pair): Promise<Result[]> {
  const listed = new Map<Situation, Listed[]>(situations.map((situation) => [situation, []]));
  for (let start = 1; start <= STARTS; start++) {
    const [few, many] = [await serve(sandbox, pair.few), await serve(sandbox, pair.many)];
    const floor = await startFloor(sandbox, pair.many.listing);
    for (const [situation, all] of listed)
      all.push(await measureListing({ few, many, floor: floor.connection }, situation));
    for (const server of [few, many, floor]) await server.stop();
    show(`listings measured: start ${start} of ${STARTS}`);
  }
  return [...listed].flatMap(([situation, all]) => toResults(situation, all, pair));
}

async function startFloor(sandbox: Sandbox, body: string) {
  const server = sandbox.adopt(fork(new URL("../service/bare-answer.js", import.meta.url)));
  server.send(body);
  const [port] = await once(server, "message");
  const connection = new Connections(`http://127.0.0.1:${port}`);
  return {
    connection,
    async stop() {
      connection.close();
      server.kill();
      await once(server, "exit");
    },
  };
}

function toResults({ name, written, gzip }: Situation, all: readonly Listed[], { few, many }: Pair): Result[] {
  const median = (of: (listed: Listed) => number): number => quantile(all.map(of), 0.5);
  const at = (share: "p50" | "p99") => ({
    name: "growth",
    measure: `${many.database.kind}: listing, ${name}: round trip ${share}, µs`,
    against: `${few.count} entries stored`,
    ours: median((listed) => listed[share].many),
    theirs: median((listed) => listed[share].few),
    ratio: median((listed) => listed[share].many / listed[share].few),
  });
  const ratios = all.map(({ p50 }) => p50.many / p50.few);
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)];
  const [half, most] = [at("p50"), at("p99")];
  const floor = median((listed) => listed.p50.floor);
  const [within1, within2] = [median(({ within }) => within[0]), median(({ within }) => within[1])];
  return [
    {
      ...half,
      goal: `≤ ${MAX_GROWTH}`,
      met: half.ratio <= MAX_GROWTH,
      note: `${many.count} entries stored; middle half of ${STARTS} starts ${low.toFixed(2)}–${high.toFixed(2)}`,
    },
    { ...most, goal: null, met: null, note: `a bare server ${median((listed) => listed.p99.floor).toFixed(0)}` },
    {
      name: "growth",
      measure: `${many.database.kind}: listing, ${name}: service's time p50, ms`,
      against: gzip ? "bare node:http server, not compressed" : "bare node:http server, same bytes",
      ours: half.ours / 1000,
      theirs: floor / 1000,
      ratio: half.ours / floor,
      // What nobody has in memory may take as long as it does.
      goal: written === "late" ? null : `ours < ${MAX_MS}`,
      met: written === "late" ? null : Math.max(half.ours, half.theirs) / 1000 < MAX_MS,
      note: `at most: the whole round trip; by its own clock ${within1.toFixed(1)} % within 1 ms, ${within2.toFixed(1)} % within 2 ms`,
    },
  ];
}

function disk({ bytes, count, database }: Stored): Result {
  const ratio = bytes.disk / bytes.json;
  return {
    name: "growth",
    measure: `${database.kind}: disk, MB`,
    against: "the entries as JSON",
    ours: bytes.disk / 1e6,
    theirs: bytes.json / 1e6,
    ratio,
    goal: `≤ ${MAX_DISK}`,
    met: ratio <= MAX_DISK,
    note: `${count} entries stored, written in the order of their time: ${(bytes.disk / count).toFixed(0)} bytes each`,
  };
}
