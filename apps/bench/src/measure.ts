/** Does something once; what it gives is looked at before anything is measured. */
export type Contestant = () => Promise<unknown>;

/** What was measured of one contestant, beside the others of the same run. */
export interface Measured {
  /** Microseconds for one call: the median of all rounds. */
  us: number;
  /** The median of the ratios to the first contestant, each taken within one round. */
  ratio: number;
  /** The middle half of those ratios. */
  spread: [number, number];
  /** Microseconds for one call, round by round. */
  rounds: readonly number[];
}

/**
 * Times contestants against each other. They take turns in rounds, in another order each time, and are compared within
 * a round: what else goes on in the machine then weighs on all of them alike.
 */
export async function race<Name extends string>(
  contestants: Record<Name, Contestant>,
  { rounds, calls, warmUp }: { rounds: number; calls: number; warmUp: number },
): Promise<Record<Name, Measured>> {
  const names = Object.keys(contestants) as Name[];
  const [first] = names;
  if (first === undefined) throw new Error("There is nobody to race.");
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await repeat(contestants[name], warmUp);
  for (let round = 0; round < rounds; round++) {
    // Each begins as often as the others.
    for (const name of rotated(names, round)) {
      times.get(name)?.push((await repeat(contestants[name], calls)) / calls);
    }
  }
  const floor = times.get(first) ?? [];
  const measured = (name: Name): Measured => {
    const own = times.get(name) ?? [];
    const ratios = own.map((time, round) => time / (floor[round] ?? Number.NaN));
    return {
      us: quantile(own, 0.5),
      ratio: quantile(ratios, 0.5),
      spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      rounds: own,
    };
  };
  return Object.fromEntries(names.map((name) => [name, measured(name)])) as Record<Name, Measured>;
}

/** The same in a circle, begun further on. */
export function rotated<T>(values: readonly T[], by: number): T[] {
  const first = by % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
}

async function repeat(contestant: Contestant, calls: number): Promise<number> {
  const started = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) await contestant();
  return Number(process.hrtime.bigint() - started) / 1000;
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
