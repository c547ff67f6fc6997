/** How many may do something at once, and who waits until one has ended. */
export class Slots {
  #free: number;
  /** Each is told once, in the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot; where there is none, `onFree` is called when there is one. */
  take(onFree: () => void): boolean {
    if (this.#free === 0) {
      this.#waiting.add(onFree);
      return false;
    }
    this.#free -= 1;
    return true;
  }

  give(): void {
    this.#free += 1;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }
}
