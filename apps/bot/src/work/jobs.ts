import { createHash } from "node:crypto";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

// Larger than the clock difference between any two bots. A claim that ends more than this too late was made by a clock
// that was ahead.
const CLOCKS_APART_MS = 60_000;

type Claim = Tables["claim"] & { now: number };

/** Ensures that a repeated request is handled once, across any number of bot processes. */
export class Claims {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #commits;

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
    const { database } = storage;
    this.#commits = database.groupCommit<Claim, boolean>({
      // Claims don't depend on each other.
      keyOf: ({ hash }) => hash,
      commit: async (claims) => {
        const rows = await database.writeAll(claims.map((claim) => this.#statementOf(claim)));
        return rows.map((row) => row.length > 0);
      },
      // Callers receive the error and don't start their work.
      onSettled: () => {},
    });
  }

  /** Whether the key is claimed for the first time, or its former claim, always for the same time, has expired. */
  first(key: string, forMs: number): Promise<boolean> {
    const now = this.#now();
    return this.#commits.add({ hash: hashOf(key), until: now + forMs, now });
  }

  async release(key: string): Promise<void> {
    await this.#storage.query.deleteFrom("claim").where("hash", "=", hashOf(key)).execute();
  }

  settled(): Promise<void> {
    return this.#commits.settled();
  }

  #statementOf({ hash, until, now }: Claim) {
    return (
      this.#storage.query
        .insertInto("claim")
        .values({ hash, until })
        // Only an expired claim, or one from a clock that was ahead, is replaced; otherwise no row is returned.
        .onConflict((conflict) =>
          conflict
            .column("hash")
            .doUpdateSet({ until })
            .where(({ or, eb }) => or([eb("claim.until", "<=", now), eb("claim.until", ">", until + CLOCKS_APART_MS)])),
        )
        .returning("hash")
        .compile()
    );
  }
}

/** The database stores only the hash of a key, which may contain a trigger's id. */
const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");

/** A position in line, then a slot. */
export interface Turn {
  readonly ready: Promise<void>;
  end(): void;
}

/** Slots for work. Work without a slot waits in line, and people take turns. */
export type Turns = ReturnType<typeof createTurns>;

/** Creates {@link Turns}, which assign each free slot to the person whose last slot was assigned longest ago. */
export function createTurns({ atOnce, perPerson }: { readonly atOnce: number; readonly perPerson: number }) {
  // In the order of their next turns.
  const people = new Map<string, { held: number; line: (() => void)[] }>();
  let held = 0;

  function fill(): void {
    while (held < atOnce) {
      const next = [...people].find(([, { held, line }]) => line.length > 0 && held < perPerson);
      if (!next) return;
      const [who, person] = next;
      people.delete(who);
      people.set(who, person);
      held += 1;
      person.held += 1;
      person.line.shift()?.();
    }
  }

  return {
    /** Waits in line for a slot; the first of a person's turns if that is asked for. */
    join(who: string, { first = false } = {}): Turn {
      const person = people.get(who) ?? { held: 0, line: [] };
      people.set(who, person);
      let begin = (): void => {};
      const ready = new Promise<void>((resolve) => {
        begin = resolve;
      });
      person.line[first ? "unshift" : "push"](begin);
      fill();
      let isOver = false;
      return {
        ready,
        end() {
          if (isOver) return;
          isOver = true;
          const at = person.line.indexOf(begin);
          if (at === -1) {
            held -= 1;
            person.held -= 1;
          } else {
            person.line.splice(at, 1);
          }
          if (person.held === 0 && person.line.length === 0) people.delete(who);
          fill();
        },
      };
    },
    waiting: (who?: string): number =>
      [...people].reduce((sum, [one, { line }]) => sum + (who === undefined || one === who ? line.length : 0), 0),
    get isIdle(): boolean {
      return people.size === 0;
    },
  };
}

/** The result of a promise, or an error if it takes too long. */
export function within<T>(ms: number, promise: Promise<T>, errorIfLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(errorIfLate()), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits for an external answer while other jobs of the workspace run. */
export type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

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
    get size(): number {
      return unfinished.size;
    },
    async settled(): Promise<void> {
      while (unfinished.size > 0) await Promise.all(unfinished);
    },
  };
}

/** Repeats a job until it succeeds or failed `attempts` times; each pause is twice as long, the last one 17 minutes. */
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

/** Looks for work again and again, one look at a time. */
export class Looker {
  readonly #look: () => Promise<void>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(look: () => Promise<void>, everyMs: number, onFault: (error: unknown) => void) {
    this.#look = look;
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.start(), everyMs).unref();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#looking ??= this.#look()
      .catch(this.#onFault)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#looking;
    this.start();
    await this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }
}
