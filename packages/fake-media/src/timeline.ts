/** What is to be done, and when. */
interface Task {
  readonly at: number;
  readonly order: number;
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
  /** Lets time pass; ends early where the signal says so. */
  pass(ms: number, signal?: AbortSignal): Promise<void>;
  /** Does at once what need not wait; false where there was nothing. */
  hurry(): Promise<boolean>;
  /** Forgets what is left to do. */
  stop(): void;
}

/** Real time. One timer serves everything that waits, however much it is. */
export function createRealTimeline(): Timeline {
  const tasks = new TaskHeap();
  /** What could have been hurried, and has begun by itself. */
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isStopped = false;

  const time = (): number => performance.now();

  function add(ms: number, canHurry: boolean, run: () => Promise<void>): void {
    if (isStopped) return;
    tasks.add(time() + ms, canHurry, run);
    arm();
  }

  function arm(): void {
    const next = tasks.first?.at ?? Number.POSITIVE_INFINITY;
    if (next === dueAt) return;
    clearTimeout(timer);
    dueAt = next;
    // Rounded up: a timer that comes too early would find nothing to do.
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
      const hurried = tasks.takeHurried();
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
  const tasks = new TaskHeap();
  let time = 0;
  return {
    time: () => time,
    after: (ms, run) => tasks.add(time + ms, false, run),
    soonerOrLater: (ms, run) => tasks.add(time + ms, true, run),
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
      const hurried = tasks.takeHurried();
      for (const task of hurried) await task.run();
      return hurried.length > 0;
    },
    stop: () => tasks.clear(),
  };
}

/** Tasks by their time; those of the same time in the order in which they were added. */
class TaskHeap {
  #tasks: Task[] = [];
  #added = 0;

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  add(at: number, canHurry: boolean, run: () => Promise<void>): void {
    this.#push({ at, order: this.#added++, canHurry, run });
  }

  takeFirst(): void {
    const last = this.#tasks.pop();
    if (!last || this.#tasks.length === 0) return;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const child = isBefore(this.#tasks[left + 1], this.#tasks[left]) ? left + 1 : left;
      const task = this.#tasks[child];
      if (!task || !isBefore(task, last)) break;
      this.#tasks[place] = task;
      place = child;
    }
    this.#tasks[place] = last;
  }

  takeHurried(): Task[] {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) if (!task.canHurry) this.#push(task);
    return tasks.filter(({ canHurry }) => canHurry).sort((a, b) => a.at - b.at || a.order - b.order);
  }

  clear(): void {
    this.#tasks = [];
  }

  #push(task: Task): void {
    let place = this.#tasks.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#tasks[above];
      if (!parent || !isBefore(task, parent)) break;
      this.#tasks[place] = parent;
      place = above;
    }
    this.#tasks[place] = task;
  }
}

function isBefore(one: Task | undefined, other: Task | undefined): boolean {
  if (!one || !other) return false;
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
