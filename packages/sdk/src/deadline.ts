// The longest that a timer can wait; what is longer would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends one try: when its time is over, or when the caller aborts the whole call. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Lets go of the timer and of the caller's signal. */
  clear(): void;
}

// AbortSignal.any and AbortSignal.timeout would do the same, but leave their timers and listeners to the garbage collector.
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(abort, Math.min(timeoutMs, LONGEST_TIMER_MS));
  outer?.addEventListener("abort", abort);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}

/** Waits; an abort ends the wait at once. */
export async function pause(ms: number, outer: AbortSignal | undefined): Promise<void> {
  if (outer?.aborted) return;
  const { signal, clear } = startDeadline(ms, outer);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  clear();
}
