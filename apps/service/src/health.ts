import type { Logger } from "pino";

/** Tracks whether a repeated operation works. Reports only changes. */
export class Health {
  readonly #onChange: (error: unknown) => void;
  #error: unknown;
  #notedAt = Number.NEGATIVE_INFINITY;

  /** @param onChange Called with an error when the operation begins to fail, and without one when it works again. */
  constructor(onChange: (error: unknown) => void) {
    this.#onChange = onChange;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Whether the operation succeeded within this many milliseconds, and has not failed since. */
  hasWorkedWithin(ms: number): boolean {
    return this.#error === undefined && performance.now() - this.#notedAt < ms;
  }

  /** Runs the operation, and records whether it failed. Never rejects. */
  async try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.note(undefined);
    } catch (error) {
      this.note(error);
    }
  }

  readonly note = (error: unknown): void => {
    const changed = (this.#error === undefined) !== (error === undefined);
    this.#error = error;
    this.#notedAt = performance.now();
    if (changed) this.#onChange(error);
  };
}

/** Logs one message when something begins to fail, and another when it works again. */
export function logChange(log: Logger, failing: string, working: string): (error: unknown) => void {
  return (error) => {
    if (error === undefined) log.info(working);
    else log.error({ err: error }, failing);
  };
}
