const MINUTE_MS = 60_000;

/** Writes at most one line a minute for events that a flood of requests can cause. */
export class MinuteLog {
  readonly #now: () => number;
  #writtenAt: number | undefined;
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes an event. `line` writes the first, and then those of at least a minute, with their count. */
  note(line: (count: number) => void): void {
    this.#count += 1;
    const now = this.#now();
    const since = this.#writtenAt === undefined ? MINUTE_MS : Math.abs(now - this.#writtenAt);
    if (since < MINUTE_MS) return;
    this.#writtenAt = now;
    line(this.#count);
    this.#count = 0;
  }
}
