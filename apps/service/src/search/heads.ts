import type { LogName, LogReader } from "../logs/log-store.js";

// Entries reach those who follow within a second of their commit, also of those that another process commits.
const EVERY_MS = 250;

interface WatchedLog {
  readonly log: LogName;
  readonly waiting: Set<{ readonly seq: number; settle(error?: unknown): void }>;
}

/** Waits for new entries. Everyone who waits for the same log shares one look at it. */
export class HeadWatch {
  readonly #reader: Pick<LogReader, "seqOf">;
  readonly #logs = new Map<string, WatchedLog>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStopped = false;

  constructor(reader: Pick<LogReader, "seqOf">) {
    this.#reader = reader;
  }

  /** How many entries were ever written to a log. */
  seqOf(log: LogName): Promise<number> {
    return this.#reader.seqOf(log);
  }

  /** Waits until entries after a seq are written, the time is over, or the signal is aborted. */
  wait(log: LogName, seq: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isStopped) return Promise.resolve();
    const watched = this.#logs.get(log.join()) ?? { log, waiting: new Set() };
    this.#logs.set(log.join(), watched);
    this.#timer ??= setInterval(() => void this.#look(), EVERY_MS);
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        watched.waiting.delete(waiter);
        if (watched.waiting.size === 0) this.#forget(watched.log);
        if (error === undefined) resolve();
        else reject(error);
      };
      const waiter = { seq, settle };
      const onAbort = (): void => settle();
      const timer = setTimeout(settle, withinMs);
      signal.addEventListener("abort", onAbort);
      watched.waiting.add(waiter);
    });
  }

  /** Ends all waiting. */
  stop(): void {
    this.#isStopped = true;
    for (const { waiting } of [...this.#logs.values()]) for (const { settle } of [...waiting]) settle();
  }

  async #look(): Promise<void> {
    // A slow database is not asked again before it has answered.
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const { log, waiting } of [...this.#logs.values()]) {
      try {
        const head = await this.#reader.seqOf(log);
        for (const { seq, settle } of [...waiting]) if (head !== seq) settle();
      } catch (error) {
        for (const { settle } of [...waiting]) settle(error);
      }
    }
    this.#isLooking = false;
  }

  #forget(log: LogName): void {
    this.#logs.delete(log.join());
    if (this.#logs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
