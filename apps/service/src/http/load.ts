import { monitorEventLoopDelay } from "node:perf_hooks";

const SAMPLE_MS = 1000;
// How often the loop is measured; the histogram counts this time as a delay.
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/** Measures how late this thread's event loop is. */
export class LoadWatch {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #isOverloaded = false;

  /** @param maxLagMs How late the event loop may be on average; 0 sets no limit. */
  constructor(maxLagMs: number) {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      // The mean of no samples is NaN: the loop had no turn at all.
      this.#isOverloaded = maxLagMs > 0 && !(this.#histogram.mean / NS_PER_MS - RESOLUTION_MS <= maxLagMs);
      this.#histogram.reset();
    }, SAMPLE_MS).unref();
  }

  /** Whether calls have to be refused, so that those that are admitted are still answered in time. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}
