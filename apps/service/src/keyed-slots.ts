/** Lets a few tasks of each key run at once. The others wait in their order. */
export class KeyedSlots {
  readonly #ofEach: number;
  readonly #keys = new Map<string, { taken: number; readonly waiting: Set<() => void> }>();

  constructor(ofEach: number) {
    this.#ofEach = ofEach;
  }

  /** Waits for a slot. Returns a function that releases it; undefined if the signal was aborted first. */
  async take(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const own = this.#keys.get(key) ?? { taken: 0, waiting: new Set() };
    this.#keys.set(key, own);
    if (own.taken < this.#ofEach) own.taken += 1;
    else if (!(await untilCalled(own.waiting, signal))) return undefined;
    return () => {
      const [next] = own.waiting;
      if (next) next();
      else if (--own.taken === 0) this.#keys.delete(key);
    };
  }
}

/** Waits in line. Returns whether it was called before the signal was aborted. */
function untilCalled(line: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isCalled: boolean): void => {
      line.delete(call);
      signal.removeEventListener("abort", cancel);
      resolve(isCalled);
    };
    const call = (): void => leave(true);
    const cancel = (): void => leave(false);
    line.add(call);
    signal.addEventListener("abort", cancel);
  });
}
