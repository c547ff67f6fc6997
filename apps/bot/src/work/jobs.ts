import { createTurns, type Turn, type Turns } from "./turns.js";

/** Work that goes on after a request was acknowledged. */
export interface Jobs {
  /** Begins the work when there is room for it. Returns false, and never begins it, if too much is unfinished already. */
  add(run: (aside: Aside) => Promise<void>, options?: JobOptions): boolean;
  /** How many are under way or wait. */
  readonly size: number;
  /** Waits until all that has been added is done. */
  settled(): Promise<void>;
}

/** Waits for an answer from elsewhere, and lets other work of the workspace go on meanwhile. */
export type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

interface JobOptions {
  /** Begins at once: what Slack allows 3 s for. @default false */
  urgent?: boolean;
  /** The workspace that asked; no workspace waits for another. @default the bot itself, whose work is never refused */
  of?: string;
  /** The person who asked; the people of a workspace take turns. @default one for all */
  by?: string;
}

/** How much work may be unfinished. */
export interface JobLimits {
  /** @default 200: more than anybody types */
  perPerson?: number;
  /** @default 1000 */
  perWorkspace?: number;
  /** For all workspaces together. @default 4000, some 20 kB each */
  total?: number;
}

/** What one workspace asks for. */
interface Lane {
  readonly turns: Turns;
  /** Unfinished work, by person. */
  readonly people: Map<string, number>;
  size: number;
}

// More at once would not be faster, and would delay the acknowledgements of those who come after.
const AT_ONCE = 16;
// Slack can limit how fast one person is answered, and their colleagues need not wait for that.
const PER_PERSON = AT_ONCE / 2;

// Requests of one moment come no further apart than this.
const LULL_MS = 2;
// As long as a burst may hold up the answer to its first request: a hundred are acknowledged in half of that, and nobody
// who reads notices it.
const LONGEST_BURST_MS = 100;

/** The time in which requests follow each other: all of a burst are acknowledged before the work for any begins. */
interface Burst {
  /** Somebody has asked. */
  goesOn(): void;
  /** Waits until nobody has asked for a moment. */
  over(): Promise<void>;
}

function createBurst(): Burst {
  let over: Promise<void> | undefined;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  let end = (): void => {};
  return {
    goesOn() {
      const now = performance.now();
      if (!over) {
        began = now;
        over = new Promise((resolve) => {
          end = () => {
            over = undefined;
            resolve();
          };
        });
      }
      if (now - began >= LONGEST_BURST_MS) return;
      clearTimeout(timer);
      timer = setTimeout(end, LULL_MS);
    },
    over: () => over ?? Promise.resolve(),
  };
}

const OWN = "";

/**
 * @param onFault is told what work throws, which is a mistake of this program.
 */
export function createJobs(
  onFault: (error: unknown) => void,
  { perPerson = 200, perWorkspace = 1000, total = 4000 }: JobLimits = {},
): Jobs {
  const unfinished = new Set<Promise<void>>();
  const lanes = new Map<string, Lane>();
  const burst = createBurst();

  const laneOf = (of: string): Lane =>
    lanes.get(of) ?? {
      turns: createTurns({ atOnce: AT_ONCE, perPerson: of === OWN ? AT_ONCE : PER_PERSON }),
      people: new Map(),
      size: 0,
    };

  function hasRoom(lane: Lane, by: string, isUrgent: boolean): boolean {
    if (unfinished.size >= total) return false;
    // A window opens at once or never.
    return isUrgent || (lane.size < perWorkspace && (lane.people.get(by) ?? 0) < perPerson);
  }

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
    await burst.over();
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
          // The work may have ended, or stepped aside once more, while it waited for its turn.
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
    add(run, { urgent = false, of = OWN, by = "" } = {}) {
      const lane = laneOf(of);
      if (of !== OWN && !hasRoom(lane, by, urgent)) return false;
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
    get size() {
      return unfinished.size;
    },
    async settled() {
      while (unfinished.size > 0) await Promise.all(unfinished);
    },
  };
}

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
