import { mapValues } from "../map-values.js";
import { quantile, takeTurns } from "../measure.js";
import type { Load, Look, Rate } from "./load.js";

/** A server in a race, and what it is asked in a round. */
export interface Racer {
  readonly load: Pick<Load, "rate" | "close">;
  /** The requests of a round, in lines: those of a line are sent one after another. Not part of what is timed. */
  lines(): Iterable<readonly Buffer[]> | Promise<Iterable<readonly Buffer[]>>;
  /** Looks at the beginning of each answer as it comes. */
  readonly look?: Look;
  /** Looks whether all that was answered in a round is right; throws where it is not. */
  check?(rate: Rate): void | Promise<void>;
}

/** What one server did, round by round. */
export interface Raced {
  readonly perSecond: readonly number[];
  /** Milliseconds from a request to the end of its answer: the median and the 99th percentile of each round. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
}

/**
 * Asks servers as fast as they answer. They take turns, in another order in each round, so that what else goes on in the
 * machine weighs on all of them alike. One round more than is counted comes first, to warm up.
 */
export async function raceServers<Name extends string>(
  racers: Record<Name, Racer>,
  { rounds }: { rounds: number },
): Promise<Record<Name, Raced>> {
  const turns = mapValues(racers, ({ load, lines, look, check }) => async () => {
    const rate = await load.rate(await lines(), look);
    await check?.(rate);
    return rate;
  });
  return mapValues(
    await takeTurns(turns, rounds, 1),
    (own: readonly Rate[]): Raced => ({
      perSecond: own.map(({ perSecond }) => perSecond),
      p50: own.map(({ times }) => quantile(times, 0.5)),
      p99: own.map(({ times }) => quantile(times, 0.99)),
    }),
  );
}
