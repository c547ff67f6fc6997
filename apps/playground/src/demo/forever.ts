import { setTimeout as elapsed } from "node:timers/promises";

/**
 * Does something again and again, each time after a wait, until the signal says that it is over. What fails once may do
 * so: it is told, and the next time comes.
 */
export async function forever(
  wait: () => number,
  work: () => Promise<unknown>,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await elapsed(wait(), undefined, { signal });
      await work();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}
