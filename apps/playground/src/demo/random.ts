/** Draws that are the same for the same seed. */
export interface Random {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A whole number; both ends may be drawn. */
  int(min: number, max: number): number;
  /** Whether something happens that does so with this probability. */
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** A length of time such as between people who know nothing of each other, around this one. */
  wait(mean: number): number;
}

/** A generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
    wait: (mean) => -Math.log(1 - next()) * mean,
  };
}
