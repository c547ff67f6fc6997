import type { Logger } from "pino";

/** Whether what must be durable can be written. Told in the log when that changes, and not at each failure. */
export class WriteHealth {
  readonly #log: Logger;
  readonly #what: string;
  #error: unknown;

  /** @param what That which is written, in the plural. */
  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Why the last write failed; undefined as long as all is well. */
  get error(): unknown {
    return this.#error;
  }

  /** Notes how a write went: why it failed, or nothing. */
  note(error: unknown): void {
    const changed = (this.#error === undefined) !== (error === undefined);
    this.#error = error;
    if (!changed) return;
    if (error === undefined) this.#log.info(`${this.#what} are written again`);
    else this.#log.error({ err: error }, `${this.#what} cannot be written`);
  }
}
