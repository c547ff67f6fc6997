import { Counter, type CounterConfiguration } from "prom-client";

/** Counts by two labels what happens thousands of times a second: a counter of the registry would cost far more. */
export class Tally<First extends string, Second extends string> {
  readonly #counts = new Map<First, Map<Second, number>>();

  /** @param config Of the counter that the registry shows; it learns what was counted when it is asked. */
  constructor(
    config: Omit<CounterConfiguration<string>, "collect"> & { readonly labelNames: readonly [string, string] },
  ) {
    const counts = this.#counts;
    new Counter({
      ...config,
      collect() {
        this.reset();
        for (const [first, ofFirst] of counts) {
          for (const [second, count] of ofFirst) this.labels(first, second).inc(count);
        }
      },
    });
  }

  inc(first: First, second: Second): void {
    let ofFirst = this.#counts.get(first);
    if (!ofFirst) {
      ofFirst = new Map();
      this.#counts.set(first, ofFirst);
    }
    ofFirst.set(second, (ofFirst.get(second) ?? 0) + 1);
  }
}
