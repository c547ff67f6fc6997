import type { Clocks } from "../config/surroundings.js";

/** The media server reports every connection once a minute; this leaves room for one report that is lost. */
const HEARD_WITHIN_MS = 3 * 60_000;

/** Clocks are corrected by less than this all the time. */
const STEP_MS = 60_000;

/**
 * Knows whether the silence of a connection means anything. It means nothing just after this process has started, or
 * after its wall clock was set: nobody listened meanwhile, or the hour that seems to have passed has not.
 */
export class Silence {
  readonly #clocks: Clocks;
  #listeningSince: number;
  /** By how much the wall clock is ahead of the clock that nobody sets. */
  #ahead: number;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#listeningSince = clocks.elapsed();
    this.#ahead = clocks.now() - this.#listeningSince;
  }

  /** Whether a connection that lives would have been heard of by now. */
  meansGone(): boolean {
    const elapsed = this.#clocks.elapsed();
    const ahead = this.#clocks.now() - elapsed;
    if (Math.abs(ahead - this.#ahead) > STEP_MS) this.#listeningSince = elapsed;
    this.#ahead = ahead;
    return elapsed - this.#listeningSince >= HEARD_WITHIN_MS;
  }
}
