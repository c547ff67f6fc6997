import { MediaApiError, MediaConnectionError, type MediaError, MediaTimeoutError } from "./errors.js";

// Long enough for a restarting service to return within two attempts, short enough to go unnoticed.
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;
// If a service requests more than a minute, the caller should schedule the next attempt.
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Whether the same call may succeed on a retry. */
export function isRetryable(error: unknown): error is MediaError & Pick<MediaApiError, "retryAfterMs"> {
  return (
    error instanceof MediaConnectionError ||
    error instanceof MediaTimeoutError ||
    (error instanceof MediaApiError && (error.status === 408 || error.status === 429 || error.status >= 500))
  );
}

/**
 * The delay before the next attempt: as the service requests, otherwise exponential with full jitter, so that clients
 * that failed together do not retry together.
 */
export function retryDelayMs(
  failures: number,
  error: Pick<MediaApiError, "retryAfterMs">,
  random: () => number,
): number {
  const backoff = random() * Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
  return Math.min(error.retryAfterMs ?? backoff, LONGEST_RETRY_AFTER_MS);
}

/** `Retry-After` in milliseconds: seconds, or an HTTP date. Invalid and past values are ignored. */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return ms >= 0 ? ms : undefined;
}

// The longest delay of a timer; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends one attempt: at its timeout, or when the caller aborts the call. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Releases the timer and the caller's signal. */
  clear(): void;
}

/** Calls that one signal ends. They share a listener, because Node reports a signal with more than ten as a leak. */
class Calls extends Set<() => void> {
  handleEvent(): void {
    for (const abort of this) abort();
  }
}

const callsOf = new WeakMap<AbortSignal, Calls>();

// Equivalent to AbortSignal.any and AbortSignal.timeout, which leave their timers and listeners to the garbage
// collector.
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(abort, Math.min(timeoutMs, LONGEST_TIMER_MS));
  const calls = (outer && callsOf.get(outer)) ?? new Calls();
  calls.add(abort);
  if (outer) callsOf.set(outer, calls);
  outer?.addEventListener("abort", calls);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      calls.delete(abort);
      if (calls.size === 0) outer?.removeEventListener("abort", calls);
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
