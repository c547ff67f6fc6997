import { mapValues } from "./map-values.js";

/** Does something once; what it gives is looked at before anything is measured. */
export type Contestant = () => Promise<unknown>;

/** What was measured of one contestant, beside the others of the same run. */
export interface Measured {
  /** Microseconds for one call: the median of all rounds. */
  us: number;
  /** The same of each round. */
  rounds: readonly number[];
  /** The median of the ratios to the first contestant, each taken within one round. */
  ratio: number;
  /** The middle half of those ratios. */
  spread: [number, number];
}

/**
 * Lets contestants take turns in rounds, in another order each time: what else goes on in the machine then weighs on all
 * of them alike, if they are compared within a round. Gives what came of each turn.
 *
 * @param warmUp So many rounds come first and do not count.
 */
export async function takeTurns<Name extends string, Shown>(
  turns: Readonly<Record<Name, () => Promise<Shown>>>,
  rounds: number,
  warmUp = 0,
): Promise<Record<Name, Shown[]>> {
  const names = Object.keys(turns) as Name[];
  const all = mapValues(turns, (): Shown[] => []);
  for (let round = 0; round < warmUp + rounds; round++) {
    // Each begins as often as the others.
    for (const name of rotated(names, round)) {
      const shown = await turns[name]();
      if (round >= warmUp) all[name].push(shown);
    }
  }
  return all;
}

/** A turn of some calls. Gives the microseconds of one. */
export const timed = (contestant: Contestant, calls: number) => async (): Promise<number> => {
  const started = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) await contestant();
  return Number(process.hrtime.bigint() - started) / 1000 / calls;
};

/** Times contestants against each other, the same number of calls each. */
export async function race<Name extends string>(
  contestants: Record<Name, Contestant>,
  { rounds, calls, warmUp }: { rounds: number; calls: number; warmUp: number },
): Promise<Record<Name, Measured>> {
  const [first] = Object.keys(contestants) as Name[];
  if (first === undefined) throw new Error("There is nobody to race.");
  const turns = (each: number) => mapValues(contestants, (contestant) => timed(contestant, each));
  await takeTurns(turns(warmUp), 1);
  const times = await takeTurns(turns(calls), rounds);
  return mapValues(times, (own): Measured => {
    const ratios = own.map((time, round) => time / (times[first][round] ?? Number.NaN));
    return {
      us: quantile(own, 0.5),
      rounds: own,
      ratio: quantile(ratios, 0.5),
      spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    };
  });
}

/** The same in a circle, begun further on. */
function rotated<T>(values: readonly T[], by: number): T[] {
  const first = by % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
}

/** What is timed call by call, and what belongs to each call without being timed. */
export interface TimedCall<Answer> {
  before?(): Promise<void>;
  call(): Promise<Answer>;
  /** Throws where the answer is not what it must be. */
  check(answer: Answer): void;
}

/** Times every single call, the contestants by turns. Gives the microseconds of each. */
export async function timeCalls<Name extends string, Answer>(
  contestants: Record<Name, TimedCall<Answer>>,
  { rounds, calls, warmUp }: { rounds: number; calls: number; warmUp: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name): [Name, number[]] => [name, []])) as Record<Name, number[]>;
  for (const name of names) await timeEach(contestants[name], warmUp);
  for (let round = 0; round < rounds; round++) {
    const order = rotated(names, round);
    // Each comes behind each other one equally often: a server that was just called still has work to do.
    if (round % 2 === 1) order.reverse();
    for (const name of order) times[name].push(...(await timeEach(contestants[name], calls)));
  }
  return times;
}

async function timeEach<Answer>({ before, call, check }: TimedCall<Answer>, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < calls; i++) {
    await before?.();
    const started = process.hrtime.bigint();
    const answer = await call();
    times.push(Number(process.hrtime.bigint() - started) / 1000);
    check(answer);
  }
  return times;
}

export function quantile(values: readonly number[], at: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * at)] ?? Number.NaN;
}
