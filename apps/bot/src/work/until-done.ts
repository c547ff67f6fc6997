import type { Jobs } from "./jobs.js";

interface Pauses {
  /** Each is twice as long as the one before. @default 1000 */
  firstMs?: number;
  /** How often it is tried. @default 12, the last time after an hour */
  attempts?: number;
}

/**
 * Goes on with work that nobody asks for once more, also where it fails at first, as while the database is away. The bot
 * may end between two tries.
 *
 * @param onFault is told each time, and whether it is tried again.
 */
export function untilDone(
  jobs: Jobs,
  run: () => Promise<void>,
  onFault: (error: unknown, isTriedAgain: boolean) => void,
  { firstMs = 1000, attempts = 12 }: Pauses = {},
): void {
  jobs.add(async () => {
    try {
      await run();
    } catch (error) {
      const left = attempts - 1;
      onFault(error, left > 0);
      if (left === 0) return;
      const next = { firstMs: firstMs * 2, attempts: left };
      setTimeout(() => untilDone(jobs, run, onFault, next), firstMs).unref();
    }
  });
}
