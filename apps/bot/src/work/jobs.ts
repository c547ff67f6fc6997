import { createTurns, type Turn, type Turns } from "./turns.js";

/** Waits for an external answer while other jobs of the workspace run. */
export type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

/** The jobs of one workspace, and the number of unfinished ones for each person. */
interface Lane {
  readonly turns: Turns;
  readonly people: Map<string, number>;
  size: number;
}

// More slots would not be faster, and would delay the acknowledgement of later requests.
const AT_ONCE = 16;
// Slack may limit the answers to one person; their colleagues must not wait for that.
const PER_PERSON = AT_ONCE / 2;

// Requests of one burst are at most this far apart.
const LULL_MS = 2;
// The longest delay of a burst's first answer: acknowledging a hundred requests takes half of it, and people don't
// notice it.
const LONGEST_BURST_MS = 100;

/** Detects bursts of requests: all are acknowledged before the work for any of them starts. */
class Burst {
  #began = 0;
  #timer: NodeJS.Timeout | undefined;
  #end = (): void => {};
  /** Resolves when the burst is over. */
  over = Promise.resolve();

  /** Extends the burst, or starts one: a request was received. */
  goesOn(): void {
    const now = performance.now();
    if (!this.#timer) {
      this.#began = now;
      this.over = new Promise((resolve) => {
        this.#end = resolve;
      });
    }
    if (now - this.#began >= LONGEST_BURST_MS) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#end();
    }, LULL_MS);
  }
}

const OWN = "";

/** The maximum number of unfinished jobs for one person, for one workspace and in total: some 20 kB each. */
const LIMITS = { perPerson: 200, perWorkspace: 1000, total: 4000 };

/** Runs the work for requests after they are acknowledged. */
export type Jobs = ReturnType<typeof createJobs>;

/** Creates {@link Jobs}; `onFault` receives the errors of jobs, which are bugs. */
export function createJobs(onFault: (error: unknown) => void, limits: Partial<typeof LIMITS> = {}) {
  const { perPerson, perWorkspace, total } = { ...LIMITS, ...limits };
  const unfinished = new Set<Promise<void>>();
  const lanes = new Map<string, Lane>();
  const burst = new Burst();

  const laneOf = (of: string): Lane =>
    lanes.get(of) ?? {
      turns: createTurns({ atOnce: AT_ONCE, perPerson: of === OWN ? AT_ONCE : PER_PERSON }),
      people: new Map(),
      size: 0,
    };

  function count(of: string, by: string, lane: Lane, jobs: 1 | -1): void {
    lane.size += jobs;
    const theirs = (lane.people.get(by) ?? 0) + jobs;
    if (theirs > 0) lane.people.set(by, theirs);
    else lane.people.delete(by);
    if (lane.size > 0) lanes.set(of, lane);
    else lanes.delete(of);
  }

  async function inTurn(turns: Turns, by: string, run: (aside: Aside) => Promise<void>): Promise<void> {
    let turn: Turn | undefined = turns.join(by);
    await turn.ready;
    await burst.over;
    let waits = 0;
    let hasEnded = false;
    const aside: Aside = async (wait) => {
      waits += 1;
      turn?.end();
      turn = undefined;
      try {
        return await wait();
      } finally {
        waits -= 1;
        if (waits === 0 && !hasEnded) {
          const next = turns.join(by, { first: true });
          await next.ready;
          // The job may have ended, or stepped aside again, while it waited for its turn.
          if (waits > 0 || hasEnded) next.end();
          else turn = next;
        }
      }
    };
    try {
      await run(aside);
    } finally {
      hasEnded = true;
      turn?.end();
    }
  }

  return {
    /**
     * Starts the work as soon as it is the person's turn in their workspace `of`: workspaces don't wait for each other.
     * Returns false, and never starts it, if too much is unfinished already; the bot's own work is never refused.
     * Urgent work starts at once, because Slack allows only 3 s.
     */
    add(run: (aside: Aside) => Promise<void>, { urgent = false, of = OWN, by = "" } = {}): boolean {
      const lane = laneOf(of);
      const isFull = lane.size >= perWorkspace || (lane.people.get(by) ?? 0) >= perPerson;
      // A window must open at once, or not at all.
      if (of !== OWN && (unfinished.size >= total || (isFull && !urgent))) return false;
      if (!urgent) burst.goesOn();
      count(of, by, lane, 1);
      const job = (urgent ? Promise.resolve().then(() => run((wait) => wait())) : inTurn(lane.turns, by, run))
        .catch(onFault)
        .finally(() => {
          unfinished.delete(job);
          count(of, by, lane, -1);
        });
      unfinished.add(job);
      return true;
    },
    /** The number of unfinished jobs. */
    get size(): number {
      return unfinished.size;
    },
    /** Resolves when all jobs are done. */
    async settled(): Promise<void> {
      while (unfinished.size > 0) await Promise.all(unfinished);
    },
  };
}

/**
 * Repeats a job until it succeeds or has failed `attempts` times, as while the database is unreachable. `onFault` also
 * learns whether it is tried again; each pause is twice as long as the one before, the last 17 minutes.
 */
export function untilDone(
  jobs: Jobs,
  run: () => Promise<void>,
  onFault: (error: unknown, isTriedAgain: boolean) => void,
  { firstMs = 1000, attempts = 12 } = {},
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
