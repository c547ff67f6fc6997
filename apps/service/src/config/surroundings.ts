import type { Logger } from "pino";
import type { Config } from "./config.js";

/** The clocks of this process. */
export interface Clocks {
  /** The wall clock, in ms since 1970. It may be set at any time. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
}

/** The dependencies with which the service starts. */
export interface Surroundings extends Clocks {
  readonly config: Config;
  readonly log: Logger;
}

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
