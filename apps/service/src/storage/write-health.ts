/** Whether what must be durable can be written. Told when that changes, and not at each failure. */
export class WriteHealth {
  readonly #onChange: (error: unknown) => void;
  #error: unknown;

  /** @param onChange Told once when writing begins to fail, and once when it works again (without an error). */
  constructor(onChange: (error: unknown) => void) {
    this.#onChange = onChange;
  }

  /** Why the last write failed; undefined as long as all is well. */
  get error(): unknown {
    return this.#error;
  }

  /** Notes how a write went: why it failed, or nothing. */
  note(error: unknown): void {
    const changed = (this.#error === undefined) !== (error === undefined);
    this.#error = error;
    if (changed) this.#onChange(error);
  }
}
