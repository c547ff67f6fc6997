import { type CheckStart, Load, type Rate } from "./load.js";
import { cpuOf } from "./proc.js";
import { compare, type Goals, type Result } from "./report.js";
import { show } from "./sandbox.js";
import { figures, quantile, takeTurns } from "./turns.js";

/** A server that takes part in a race. */
export interface Racer {
  readonly name: string;
  readonly url: string;
  /** The process whose CPU time counts. */
  readonly pid: number;
  /** Creates the requests of one round, which is not timed. Requests of one line are sent sequentially. */
  lines(): Iterable<readonly Buffer[]> | Promise<Iterable<readonly Buffer[]>>;
  readonly checkStart?: CheckStart | undefined;
  /** Throws unless all responses of a round are correct. */
  check?(rate: Rate): void | Promise<void>;
}

/** A server that takes part in a race, and the key for its requests. */
export interface KeyedServer extends Pick<Racer, "name" | "url" | "pid"> {
  readonly key: string;
}

interface RaceOptions {
  readonly row: string;
  readonly name: string;
  /** The unit in the table. @default "requests" */
  readonly unit?: string;
  readonly connections: number;
  readonly rounds: number;
  readonly goals: Goals;
}

/**
 * Sends requests to servers as fast as they answer. The servers take turns. Returns the rate, latency and CPU time of
 * the first one compared with each of the others.
 */
export async function race(
  { row, name, unit = "requests", connections, rounds, goals }: RaceOptions,
  racers: readonly Racer[],
): Promise<Result[]> {
  const loads = new Map<Racer, Load>();
  // Opened at its first turn: a server closes connections that send nothing.
  const loadOf = async (racer: Racer): Promise<Load> => {
    const load = loads.get(racer) ?? (await Load.open(racer.url, connections));
    loads.set(racer, load);
    return load;
  };
  const turnOf = async (racer: Racer): Promise<Round> => {
    const requests = await racer.lines();
    return runRound(racer, await loadOf(racer), requests);
  };
  const contestants = racers.map((racer) => ({ name: racer.name, turn: () => turnOf(racer) }));
  // The first round is a warm-up.
  const measured = await takeTurns(contestants, rounds, 1);
  for (const load of loads.values()) load.close();
  show(`${row}: ${name}: measured`);
  const line = (measure: string, figure: (round: Round) => number, own?: Goals): Result[] =>
    compare({ row, measure: `${name}: ${measure}`, goals: own }, figures(measured, figure));
  return [
    ...line(`${unit} a second`, ({ perSecond }) => perSecond, goals),
    ...line("p50, ms", ({ times }) => quantile(times, 0.5)),
    ...line("p99, ms", ({ times }) => quantile(times, 0.99)),
    ...line("CPU of each, µs", ({ cpu }) => cpu),
  ];
}

/** The result of one server in one round. */
interface Round extends Rate {
  /** Microseconds of CPU time per request. */
  readonly cpu: number;
}

async function runRound(
  { pid, checkStart, check }: Racer,
  load: Load,
  requests: Iterable<readonly Buffer[]>,
): Promise<Round> {
  const before = await cpuOf(pid);
  const rate = await load.rate(requests, checkStart);
  const cpu = (((await cpuOf(pid)) - before) / rate.count) * 1e6;
  await check?.(rate);
  return { ...rate, cpu };
}
