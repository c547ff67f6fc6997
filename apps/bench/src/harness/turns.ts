/** One of the things that are compared, and one turn of it. */
export interface Contestant<Round> {
  readonly name: string;
  turn(): Promise<Round>;
}

/** What was measured of one contestant, turn by turn. */
export interface Measured<Round> {
  readonly name: string;
  readonly rounds: readonly Round[];
}

/**
 * Lets contestants take turns, in another order each round, so that other load on the machine affects all of them alike.
 *
 * @param warmUp Rounds that come first and do not count.
 */
export async function takeTurns<Round>(
  contestants: readonly Contestant<Round>[],
  rounds: number,
  warmUp = 0,
): Promise<Measured<Round>[]> {
  const measured = contestants.map(({ name }) => ({ name, rounds: [] as Round[] }));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let step = 0; step < contestants.length; step++) {
      const at = (round + step) % contestants.length;
      const result = await contestants[at]?.turn();
      if (round >= warmUp && result !== undefined) measured[at]?.rounds.push(result);
    }
  }
  return measured;
}

/** A turn of several calls; gives the microseconds of one. */
export const timed = (call: () => unknown, calls: number) => async (): Promise<number> => {
  const started = process.hrtime.bigint();
  for (let done = 0; done < calls; done++) await call();
  return Number(process.hrtime.bigint() - started) / 1000 / calls;
};

/** Reduces every round to one of its figures. */
export function figures<Round>(
  measured: readonly Measured<Round>[],
  figure: (round: Round) => number,
): Measured<number>[] {
  return measured.map(({ name, rounds }) => ({ name, rounds: rounds.map(figure) }));
}

/** The value below which a share of the values lies; NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

/** The middle one of some values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
