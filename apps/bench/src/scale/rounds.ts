import type { PostgresServer } from "../databases/postgres.js";
import { mapValues } from "../map-values.js";
import { quantile, takeTurns } from "../measure.js";
import { compare, type Result } from "../report.js";
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
export type Work = (contestant: Contestant) => Promise<{ perSecond: number; count: number }>;

/** Lets the contestants work by turns. The first of them is what the others are compared with, round by round. */
export async function measureRounds(
  contestants: readonly Contestant[],
  server: PostgresServer,
  { measure, work }: { measure: string; work: Work },
): Promise<Result[]> {
  const byName = Object.fromEntries(contestants.map((contestant) => [contestant.name, contestant]));
  const turns = mapValues(byName, (contestant) => async () => {
    const round = await measureRound(contestant, server, work);
    show(`scale, ${measure}: ${contestant.name}, ${round.perSecond.toFixed(0)} a second`);
    return round;
  });
  const rounds = await takeTurns(turns, ROUNDS, 1);
  const [first = ""] = Object.keys(byName);
  return contestants.map((contestant) => {
    const own = rounds[contestant.name] ?? [];
    const telling = { name: "scale", measure: `${measure}: ${contestant.name}`, against: first };
    const note = cpuNote(contestant, own, server);
    return compare({ ...telling, note }, ratesOf(own), ratesOf(rounds[first] ?? []));
  });
}

const ratesOf = (rounds: readonly Round[]): number[] => rounds.map(({ perSecond }) => perSecond);

async function measureRound(contestant: Contestant, server: PostgresServer, work: Work): Promise<Round> {
  const [cpu, used] = [await contestant.cpu(), await server.used()];
  const { perSecond, count } = await work(contestant);
  const [cpuAfter, usedAfter] = [await contestant.cpu(), await server.used()];
  const isPostgres = contestant.database.kind === "PostgreSQL";
  return {
    perSecond,
    serviceCpu: ((cpuAfter - cpu) / count) * 1e6,
    databaseCpu: isPostgres ? ((usedAfter.cpu - used.cpu) / count) * 1e6 : 0,
    wal: isPostgres ? (usedAfter.wal - used.wal) / count : 0,
  };
}

function cpuNote({ database }: Contestant, rounds: readonly Round[], { described }: PostgresServer): string {
  const median = (of: (round: Round) => number): string => quantile(rounds.map(of), 0.5).toFixed(0);
  const service = `for each: service ${median((round) => round.serviceCpu)} µs of CPU`;
  if (database.kind === "SQLite") return service;
  const postgres = `PostgreSQL ${median((round) => round.databaseCpu)} µs, WAL ${median((round) => round.wal)} bytes`;
  return `${service}, ${postgres}; ${described}`;
}
