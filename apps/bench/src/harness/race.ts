import type { CheckStart, Load, Rate } from "./load.js";
import { cpuOf } from "./proc.js";
import { compare, type Goals, type Result } from "./report.js";
import { figures, type Measured, quantile, takeTurns } from "./turns.js";

/** A server that takes part in a race. */
export interface Racer {
  readonly name: string;
  readonly load: Load;
  /** The process whose CPU time counts. */
  readonly pid: number;
  /** Makes the requests of one round, which is not timed: those of one line are sent one after another. */
  lines(): Iterable<readonly Buffer[]> | Promise<Iterable<readonly Buffer[]>>;
  readonly checkStart?: CheckStart | undefined;
  /** Throws unless all responses of a round are right. */
  check?(rate: Rate): void | Promise<void>;
}

/** What one server did in one round. */
export interface Round {
  readonly perSecond: number;
  /** Milliseconds from a request to the end of its response. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for each request. */
  readonly cpu: number;
}

/** Sends requests to servers as fast as they answer; the servers take turns. The first round does not count. */
export function raceServers(racers: readonly Racer[], rounds: number): Promise<Measured<Round>[]> {
  const contestants = racers.map((racer) => ({ name: racer.name, turn: () => runRound(racer) }));
  return takeTurns(contestants, rounds, 1);
}

async function runRound({ load, pid, lines, checkStart, check }: Racer): Promise<Round> {
  const requests = await lines();
  const before = await cpuOf(pid);
  const rate = await load.rate(requests, checkStart);
  const cpu = ((await cpuOf(pid)) - before) / rate.count;
  await check?.(rate);
  const { perSecond, times } = rate;
  return { perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu: cpu * 1e6 };
}

/** The table lines of a race: rate, latency and CPU of the first server beside each of the others. */
export function raceResults(
  { row, name, unit = "requests", goals }: { row: string; name: string; unit?: string; goals?: Goals },
  raced: readonly Measured<Round>[],
): Result[] {
  const line = (measure: string, figure: (round: Round) => number, own?: Goals): Result[] =>
    compare({ row, measure: `${name}: ${measure}`, goals: own }, figures(raced, figure));
  return [
    ...line(`${unit} a second`, ({ perSecond }) => perSecond, goals),
    ...line("p50, ms", ({ p50 }) => p50),
    ...line("p99, ms", ({ p99 }) => p99),
    ...line("CPU of each, µs", ({ cpu }) => cpu),
  ];
}
