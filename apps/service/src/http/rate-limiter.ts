const WINDOW_MS = 60_000;
// About ten megabytes. More callers than that push out those that began their minute first.
const MAX_CALLERS = 100_000;

/** What is left of a caller's minute. */
export interface Allowance {
  readonly allowed: boolean;
  /** How many calls a minute has. */
  readonly limit: number;
  /** How many are left. */
  readonly remaining: number;
  /** Whole seconds until the next minute begins. */
  readonly resetSeconds: number;
}

interface Window {
  readonly endsAt: number;
  calls: number;
}

/** Counts calls in minutes, each of which begins with a caller's first call. */
export class RateLimiter {
  readonly #limit: number;
  /** In the order in which they began. */
  readonly #windows = new Map<string, Window>();

  /** @param limit How many calls a minute. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a call. */
  take(caller: string, now: number): Allowance {
    const window = this.#windowOf(caller, now);
    const allowed = window.calls < this.#limit;
    if (allowed) window.calls += 1;
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.calls,
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
  }

  #windowOf(caller: string, now: number): Window {
    const known = this.#windows.get(caller);
    // A window that ends later than a minute from now began before the clock was set back.
    if (known && known.endsAt > now && known.endsAt <= now + WINDOW_MS) return known;
    this.#windows.delete(caller);
    for (const [other, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < MAX_CALLERS) break;
      this.#windows.delete(other);
    }
    const window = { endsAt: now + WINDOW_MS, calls: 0 };
    this.#windows.set(caller, window);
    return window;
  }
}
