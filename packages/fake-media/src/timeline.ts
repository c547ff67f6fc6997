import { setTimeout as elapsed } from "node:timers/promises";

/** A scheduled action. */
interface Task {
  readonly at: number;
  /** Whether it may run early when the media server settles. */
  readonly canHurry: boolean;
  run(): Promise<void>;
}

/** The media server's time. */
export interface Timeline {
  /** Milliseconds since the start; never decreases. */
  time(): number;
  /** Schedules an action. */
  after(ms: number, run: () => Promise<void>): void;
  /** Schedules an action that `hurry` may run early. */
  soonerOrLater(ms: number, run: () => Promise<void>): void;
  /** Lets time pass; ends early if the signal aborts. */
  pass(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs the actions that may run early; returns false if there were none. */
  hurry(): Promise<boolean>;
  /** Drops all scheduled actions. */
  stop(): void;
}

/** Real time. */
export function createRealTimeline(): Timeline {
  const timers = new Map<Task, NodeJS.Timeout>();
  /** Actions that could have been hurried, and started on time. */
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
      // It only rejects if the signal aborts, which is a valid end.
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

/** Virtual time stands still while an action runs, and passes only on request: it jumps to the next action. */
export function createVirtualTimeline(): Timeline {
  /** Sorted by time; actions at the same time keep the order in which they were added. */
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
