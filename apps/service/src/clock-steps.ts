import type { Clocks } from "./config/surroundings.js";

/** Detects steps of the wall clock. */
export class ClockSteps {
  readonly #clocks: Clocks;
  /** By how much the wall clock is ahead of the monotonic clock. */
  #ahead: number;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#ahead = clocks.now() - clocks.elapsed();
  }

  /** How many milliseconds the wall clock was set forward since the last call; negative if it was set back. */
  sinceLastCall(): number {
    const ahead = this.#clocks.now() - this.#clocks.elapsed();
    const step = ahead - this.#ahead;
    this.#ahead = ahead;
    return step;
  }
}
