import { setTimeout as elapsed } from "node:timers/promises";

/** Something to be done, and when. */
interface Task {
  readonly at: number;
  /** Need not wait for its time when the media server is asked to finish. */
  readonly canHurry: boolean;
  run(): Promise<void>;
}

/** Time as the media server lives it. */
export interface Timeline {
  /** Milliseconds since it began; never goes back. */
  time(): number;
  /** Does something later. */
  after(ms: number, run: () => Promise<void>): void;
  /** As `after`, but it does not insist: `hurry` does it sooner. */
  soonerOrLater(ms: number, run: () => Promise<void>): void;
  /** Lets time pass; ends early if the signal aborts. */
  pass(ms: number, signal?: AbortSignal): Promise<void>;
  /** Does at once what need not wait; false if there was nothing. */
  hurry(): Promise<boolean>;
  /** Forgets what is left to do. */
  stop(): void;
}

/** Real time. */
export function createRealTimeline(): Timeline {
  const timers = new Map<Task, NodeJS.Timeout>();
  /** Tasks that could have been hurried, and have begun by themselves. */
  const running = new Set<Promise<void>>();
  let isStopped = false;

  function add(ms: number, canHurry: boolean, run: () => Promise<void>): void {
    if (isStopped) return;
    const task: Task = { at: performance.now() + ms, canHurry, run };
    timers.set(
      task,
      setTimeout(() => begin(task), Math.max(0, Math.ceil(ms))),
    );
  }

  function begin(task: Task): void {
    timers.delete(task);
    const run = task.run();
    if (!task.canHurry) return;
    running.add(run);
    void run.finally(() => running.delete(run));
  }

  return {
    time: () => performance.now(),
    after: (ms, run) => add(ms, false, run),
    soonerOrLater: (ms, run) => add(ms, true, run),
    async pass(ms, signal) {
      // It only rejects if the signal aborts, which ends it as well.
      await elapsed(ms, undefined, signal && { signal }).catch(() => {});
    },
    async hurry() {
      const hurried = [...timers.keys()].filter(({ canHurry }) => canHurry).sort((one, other) => one.at - other.at);
      for (const task of hurried) {
        clearTimeout(timers.get(task));
        begin(task);
      }
      const begun = [...running];
      await Promise.all(begun);
      return begun.length > 0;
    },
    stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Virtual time stands still while something is done, and passes only when it is asked to: then it leaps. */
export function createVirtualTimeline(): Timeline {
  /** By their time; those of the same time in the order in which they were added. */
  let tasks: Task[] = [];
  let time = 0;

  function add(ms: number, canHurry: boolean, run: () => Promise<void>): void {
    tasks.push({ at: time + ms, canHurry, run });
    tasks.sort((one, other) => one.at - other.at);
  }

  return {
    time: () => time,
    after: (ms, run) => add(ms, false, run),
    soonerOrLater: (ms, run) => add(ms, true, run),
    async pass(ms, signal) {
      const end = time + ms;
      for (let [task] = tasks; task && task.at <= end; [task] = tasks) {
        if (signal?.aborted) return;
        tasks.shift();
        time = Math.max(time, task.at);
        await task.run();
      }
      if (!signal?.aborted) time = end;
    },
    async hurry() {
      const hurried = tasks.filter(({ canHurry }) => canHurry);
      tasks = tasks.filter(({ canHurry }) => !canHurry);
      for (const task of hurried) await task.run();
      return hurried.length > 0;
    },
    stop: () => {
      tasks = [];
    },
  };
}

/** A moment as the media server writes it. */
export interface Stamp {
  /** RFC 3339, six digits of a second. */
  readonly text: string;
  /** Whole seconds since 1970. */
  readonly seconds: number;
}

/**
 * Stamps moments. No two are the same, and a later one is always later: the clock gives milliseconds, and more than one
 * thing happens in each.
 */
export function createStamps(now: () => number): () => Stamp {
  let last = 0;
  return () => {
    last = Math.max(Math.floor(now() * 1000), last + 1);
    const date = new Date(Math.floor(last / 1000));
    const text = date.toISOString().replace("Z", `${String(last % 1000).padStart(3, "0")}Z`);
    return { text, seconds: Math.floor(last / 1_000_000) };
  };
}
