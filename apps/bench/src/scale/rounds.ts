import type { PostgresServer } from "../databases/postgres.js";
import { quantile, rotated } from "../measure.js";
import type { Result } from "../report.js";
import { show } from "../service/feeder.js";
import type { Contestant } from "./contestant.js";

const ROUNDS = 5;

/** What one round of one contestant has shown. */
interface Round {
  readonly perSecond: number;
  /** Microseconds of CPU for each: of the service, and of PostgreSQL. */
  readonly serviceCpu: number;
  readonly databaseCpu: number;
  /** Bytes of WAL for each. */
  readonly wal: number;
}

/** What is measured, and how many there were of it. */
export type Work = (contestant: Contestant, round: number) => Promise<{ perSecond: number; count: number }>;

/** Lets the contestants work by turns. The first of them is what the others are compared with, round by round. */
export async function measureRounds(
  contestants: readonly Contestant[],
  server: PostgresServer,
  { measure, work }: { measure: string; work: Work },
): Promise<Result[]> {
  const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
  // The first warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contestant of rotated(contestants, round)) {
      const measured = await measureRound(contestant, server, () => work(contestant, round));
      if (round > 0) rounds.get(contestant)?.push(measured);
    }
    const rates = contestants.map((one) => `${one.name} ${rounds.get(one)?.at(-1)?.perSecond.toFixed(0) ?? "–"}`);
    show(`scale, ${measure}: round ${round} of ${ROUNDS}; ${rates.join(", ")}`);
  }
  const [first] = contestants;
  const floor = first ? (rounds.get(first) ?? []) : [];
  return contestants.map((contestant) => {
    const result = toResult(measure, contestant, first?.name ?? "", rounds.get(contestant) ?? [], floor);
    const isPostgres = contestant.database.kind === "PostgreSQL";
    return isPostgres ? { ...result, note: `${result.note}; ${server.described}` } : result;
  });
}

async function measureRound(
  contestant: Contestant,
  server: PostgresServer,
  work: () => ReturnType<Work>,
): Promise<Round> {
  const [cpu, used] = [await contestant.cpu(), await server.used()];
  const { perSecond, count } = await work();
  const [cpuAfter, usedAfter] = [await contestant.cpu(), await server.used()];
  const isPostgres = contestant.database.kind === "PostgreSQL";
  return {
    perSecond,
    serviceCpu: ((cpuAfter - cpu) / count) * 1e6,
    databaseCpu: isPostgres ? ((usedAfter.cpu - used.cpu) / count) * 1e6 : 0,
    wal: isPostgres ? (usedAfter.wal - used.wal) / count : 0,
  };
}

function toResult(
  measure: string,
  { name, database }: Contestant,
  first: string,
  rounds: readonly Round[],
  floor: readonly Round[],
): Result {
  const median = (of: (round: Round) => number): number => quantile(rounds.map(of), 0.5);
  const ratios = rounds.map(({ perSecond }, at) => perSecond / (floor[at]?.perSecond ?? Number.NaN));
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)];
  const postgres =
    database.kind === "PostgreSQL"
      ? `, PostgreSQL ${median((round) => round.databaseCpu).toFixed(0)} µs, WAL ${median((round) => round.wal).toFixed(0)} bytes`
      : "";
  return {
    name: "scale",
    measure: `${measure}: ${name}`,
    against: first,
    ours: median((round) => round.perSecond),
    theirs: quantile(
      floor.map(({ perSecond }) => perSecond),
      0.5,
    ),
    ratio: quantile(ratios, 0.5),
    goal: null,
    met: null,
    note: `middle half of ${rounds.length} rounds ${low.toFixed(2)}–${high.toFixed(2)}; for each: service ${median((round) => round.serviceCpu).toFixed(0)} µs of CPU${postgres}`,
  };
}
