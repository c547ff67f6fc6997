/** What is to be done, and when. */
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

/** Real time. One timer serves everything that waits, however much it is. */
export function createRealTimeline(): Timeline {
  const tasks = new TaskQueue();
  /** What could have been hurried, and has begun by itself. */
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isStopped = false;

  const time = (): number => performance.now();

  function add(ms: number, canHurry: boolean, run: () => Promise<void>): void {
    if (isStopped) return;
    tasks.add({ at: time() + ms, canHurry, run });
    arm();
  }

  function arm(): void {
    const next = tasks.first?.at ?? Number.POSITIVE_INFINITY;
    if (next === dueAt) return;
    clearTimeout(timer);
    dueAt = next;
    // Rounded up: a timer that fires too early would find nothing to do.
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(tick, Math.max(0, Math.ceil(next - time())));
  }

  function tick(): void {
    dueAt = Number.POSITIVE_INFINITY;
    for (let task = tasks.first; task && task.at <= time(); task = tasks.first) {
      tasks.takeFirst();
      const run = task.run();
      if (!task.canHurry) continue;
      running.add(run);
      void run.finally(() => running.delete(run));
    }
    arm();
  }

  return {
    time,
    after: (ms, run) => add(ms, false, run),
    soonerOrLater: (ms, run) => add(ms, true, run),
    pass: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(wait);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const wait = setTimeout(end, ms);
        signal?.addEventListener("abort", end);
        if (signal?.aborted) end();
      }),
    async hurry() {
      const hurried = tasks.takeEager();
      arm();
      const begun = [...running, ...hurried.map((task) => task.run())];
      await Promise.all(begun);
      return begun.length > 0;
    },
    stop() {
      isStopped = true;
      tasks.clear();
      clearTimeout(timer);
    },
  };
}

/** Virtual time stands still while something is done, and passes only when it is asked to: then it leaps. */
export function createVirtualTimeline(): Timeline {
  const tasks = new TaskQueue();
  let time = 0;
  return {
    time: () => time,
    after: (ms, run) => tasks.add({ at: time + ms, canHurry: false, run }),
    soonerOrLater: (ms, run) => tasks.add({ at: time + ms, canHurry: true, run }),
    async pass(ms, signal) {
      const end = time + ms;
      for (let task = tasks.first; task && task.at <= end; task = tasks.first) {
        if (signal?.aborted) return;
        tasks.takeFirst();
        time = Math.max(time, task.at);
        await task.run();
      }
      if (!signal?.aborted) time = end;
    },
    async hurry() {
      const hurried = tasks.takeEager();
      for (const task of hurried) await task.run();
      return hurried.length > 0;
    },
    stop: () => tasks.clear(),
  };
}

/** Tasks by their time; those of the same time in the order in which they were added. */
class TaskQueue {
  #tasks: Task[] = [];

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  add(task: Task): void {
    let [low, high] = [0, this.#tasks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#tasks[middle]?.at ?? 0) <= task.at) low = middle + 1;
      else high = middle;
    }
    this.#tasks.splice(low, 0, task);
  }

  takeFirst(): void {
    this.#tasks.shift();
  }

  /** Removes and gives the tasks that need not wait for their time. */
  takeEager(): Task[] {
    const eager = this.#tasks.filter(({ canHurry }) => canHurry);
    this.#tasks = this.#tasks.filter(({ canHurry }) => !canHurry);
    return eager;
  }

  clear(): void {
    this.#tasks = [];
  }
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
