/** A participant of a comparison, and one turn of it. */
export interface Contestant<Round> {
  readonly name: string;
  turn(): Promise<Round>;
}

/** The measurements of one contestant, turn by turn. */
export interface Measured<Round> {
  readonly name: string;
  readonly rounds: readonly Round[];
}

/**
 * Runs contestants in turns, in a different order each round, so that other load on the machine affects all of them
 * alike.
 *
 * @param warmUp The number of initial rounds that do not count.
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

/** Returns a turn that makes several calls and resolves to the microseconds per call. */
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

/** Returns the value below which the given share of the values lies, or NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

/** Returns the median of the values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
