const WINDOW_MS = 60_000;

/** What is left of a caller's window. */
export interface Allowance {
  readonly allowed: boolean;
  /** How many calls a window has. */
  readonly limit: number;
  /** How many are left. */
  readonly remaining: number;
  /** Whole seconds until the next window. */
  readonly resetSeconds: number;
}

interface Window {
  readonly endsAt: number;
  calls: number;
}

/** Counts calls in windows of a minute, which begin with a caller's first call. */
export class RateLimiter {
  readonly #limit: number;
  readonly #windows = new Map<string, Window>();
  #sweepAt = 0;

  /** @param limit How many calls a minute; 0 sets no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a call; undefined where there is no limit. */
  take(caller: string, now: number): Allowance | undefined {
    if (this.#limit === 0) return undefined;
    this.#sweep(now);
    let window = this.#windows.get(caller);
    // A window that ends later than one that began now was begun by a clock that has since been put back.
    if (!window || window.endsAt <= now || window.endsAt > now + WINDOW_MS) {
      window = { endsAt: now + WINDOW_MS, calls: 0 };
      this.#windows.set(caller, window);
    }
    const allowed = window.calls < this.#limit;
    if (allowed) window.calls += 1;
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.calls,
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
  }

  /** Forgets those who have gone. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + WINDOW_MS;
    for (const [caller, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(caller);
  }
}
