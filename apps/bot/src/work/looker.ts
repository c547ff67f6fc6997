/** Looks for work again and again, one look at a time. */
export class Looker {
  readonly #look: () => Promise<void>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(look: () => Promise<void>, everyMs: number, onFault: (error: unknown) => void) {
    this.#look = look;
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.start(), everyMs).unref();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Looks now, unless a look is under way. */
  start(): void {
    if (this.#isStopped) return;
    this.#looking ??= this.#look()
      .catch(this.#onFault)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Resolves after a look that begins now. */
  async settled(): Promise<void> {
    await this.#looking;
    this.start();
    await this.#looking;
  }

  /** Stops after the look that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }
}
