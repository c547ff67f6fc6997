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
    (error instanceof MediaApiError && /^(408|429|5..)$/.test(`${error.status}`))
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
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  // Not AbortSignal.timeout(): its timer runs on after the call, and keeps no process alive that waits for a retry.
  const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
  return {
    signal: outer ? AbortSignal.any([signal, outer]) : signal,
    clear: () => clearTimeout(timer),
  };
}

/** Waits; an abort ends the wait at once. */
export async function pause(ms: number, outer: AbortSignal | undefined): Promise<void> {
  if (outer?.aborted) return;
  const { signal, clear } = startDeadline(ms, outer);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  clear();
}
