import { setTimeout as elapsed } from "node:timers/promises";

/** A scheduled action. */
interface Task {
  readonly at: number;
  /** Whether it may run early when the media server settles. */
  readonly canHurry: boolean;
  readonly timer: NodeJS.Timeout | undefined;
  run(): Promise<void>;
}

/**
 * The media server's time. Virtual time stands still while an action runs, and passes only on request: it jumps to the
 * next action.
 */
export class Timeline {
  readonly #isVirtual: boolean;
  /** Sorted by time; actions at the same time keep the order in which they were added. */
  #tasks: Task[] = [];
  /** Actions that could have been hurried, and started on time. */
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;
  #virtualTime = 0;

  constructor(kind: "real" | "virtual") {
    this.#isVirtual = kind === "virtual";
  }

  /** Milliseconds since the start; never decreases. */
  time(): number {
    return this.#isVirtual ? this.#virtualTime : performance.now();
  }

  /** Schedules an action; `hurry` may run it early if it can be hurried. */
  after(ms: number, run: () => Promise<void>, { canHurry = false } = {}): void {
    if (this.#isStopped) return;
    const begin = (): void => void this.#begin(task);
    const timer = this.#isVirtual ? undefined : setTimeout(begin, Math.max(0, Math.ceil(ms)));
    const task: Task = { at: this.time() + ms, canHurry, timer, run };
    this.#tasks.push(task);
    this.#tasks.sort((one, other) => one.at - other.at);
  }

  /** Lets time pass; ends early if the signal aborts. */
  async pass(ms: number, signal?: AbortSignal): Promise<void> {
    // It only rejects if the signal aborts, which is a valid end.
    if (!this.#isVirtual) return elapsed(ms, undefined, signal && { signal }).catch(() => {});
    const end = this.#virtualTime + ms;
    for (let [task] = this.#tasks; task && task.at <= end; [task] = this.#tasks) {
      if (signal?.aborted) return;
      this.#virtualTime = Math.max(this.#virtualTime, task.at);
      await this.#begin(task);
    }
    if (!signal?.aborted) this.#virtualTime = end;
  }

  /** Runs the actions that may run early; returns false if there were none. */
  async hurry(): Promise<boolean> {
    let hasBegun = this.#running.size > 0;
    for (const task of this.#tasks.filter(({ canHurry }) => canHurry)) {
      hasBegun = true;
      const run = this.#begin(task);
      if (this.#isVirtual) await run;
    }
    await Promise.all(this.#running);
    return hasBegun;
  }

  /** Drops all scheduled actions. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#tasks.splice(0)) clearTimeout(timer);
  }

  async #begin(task: Task): Promise<void> {
    clearTimeout(task.timer);
    this.#tasks = this.#tasks.filter((one) => one !== task);
    const run = task.run();
    if (!task.canHurry) return run;
    this.#running.add(run);
    return run.finally(() => this.#running.delete(run));
  }
}

/** A timestamp in the media server's formats. */
export interface Stamp {
  /** RFC 3339, with six digits of a second. */
  readonly text: string;
  /** Whole seconds since 1970. */
  readonly seconds: number;
}

/** Creates unique, increasing timestamps: the clock has only milliseconds, and several events occur in each. */
export function createStamps(now: () => number): () => Stamp {
  let last = 0;
  return () => {
    last = Math.max(Math.floor(now() * 1000), last + 1);
    const date = new Date(Math.floor(last / 1000));
    const text = date.toISOString().replace("Z", `${String(last % 1000).padStart(3, "0")}Z`);
    return { text, seconds: Math.floor(last / 1_000_000) };
  };
}
