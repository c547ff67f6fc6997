import type { Logger } from "pino";

/** Whether something works that is done again and again. Told when that changes, and not at each failure. */
export class Health {
  readonly #onChange: (error: unknown) => void;
  readonly #now: () => number;
  #error: unknown;
  #notedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param onChange Told once when it begins to fail, and once when it works again (without an error).
   * @param now A clock in ms that never goes back.
   */
  constructor(onChange: (error: unknown) => void, now: () => number = () => performance.now()) {
    this.#onChange = onChange;
    this.#now = now;
  }

  /** Why it failed the last time; undefined as long as all is well. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether it is known to have worked less than so long ago. */
  hasWorkedWithin(ms: number): boolean {
    return this.#error === undefined && this.#now() - this.#notedAt < ms;
  }

  /** Does it, and notes how it went. */
  async try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.note(undefined);
    } catch (error) {
      this.note(error);
    }
  }

  /** Notes how it went: why it failed, or nothing. */
  note(error: unknown): void {
    const changed = (this.#error === undefined) !== (error === undefined);
    this.#error = error;
    this.#notedAt = this.#now();
    if (changed) this.#onChange(error);
  }
}

/** Logs that something fails, and that it works again. */
export function logChange(log: Logger, failing: string, well: string): (error: unknown) => void {
  return (error) => {
    if (error === undefined) log.info(well);
    else log.error({ err: error }, failing);
  };
}
