import type { Logger } from "pino";

/** Whether something works that is done again and again. Told when that changes, and not at each failure. */
export class Health {
  readonly #onChange: (error: unknown) => void;
  #error: unknown;

  /** @param onChange Told once when it begins to fail, and once when it works again (without an error). */
  constructor(onChange: (error: unknown) => void) {
    this.#onChange = onChange;
  }

  /** Why it failed the last time; undefined as long as all is well. */
  get error(): unknown {
    return this.#error;
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
