const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each try: three days in all, so that a receiver can be repaired over a weekend. */
const delays: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

// Spreads out deliveries that failed at the same time.
const JITTER = 0.1;

/**
 * The time of the next try; undefined after the last one.
 *
 * @param tries How many tries were made.
 * @param random From 0 to 1.
 */
export function nextTryAt(tries: number, now: number, random: number): number | undefined {
  const delay = delays[tries];
  return delay === undefined ? undefined : Math.round(now + delay * (1 + JITTER * random));
}

/**
 * The latest times that {@link nextTryAt} can return after 0, 1, 2… tries. A delivery that is due later was put off by
 * a clock that was ahead.
 */
export function latestTries(now: number): number[] {
  return delays.map((delay) => Math.round(now + delay * (1 + JITTER)));
}
