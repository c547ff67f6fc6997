import { countCall, RateLimiter } from "../http/api-gate.js";

// Others wait at most for one piece of each project that reads.
const PIECE_MS = 4;
// Reads that an index answers need less work than this.
const SHORT_MS = 50;
const LONG_AT_ONCE = 8;
// A project's reads share its time anyway: more at once would only need more memory.
const LONG_OF_PROJECT = 2;
// A caller prefers a part of the answer to a longer wait.
const MAX_MS = 2000;

interface ReadLoadOptions {
  /** How many long reads a key may make in a minute; 0 sets no limit. */
  readonly perMinute: number;
  /** In ms since 1970. */
  now(): number;
  /** After how many ms a read answers with what it has found. @default 2000 */
  readonly maxMs?: number;
}

/** The caller of a read. */
export interface ReadCaller {
  readonly projectId: string;
  readonly keyId: string;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** The turns of a long task among the others of its thread. */
export interface Work {
  /** Whether it has taken as long as it may, or its caller has left. */
  readonly isOver: boolean;
  /** Whether the current piece has taken its time. */
  readonly isDue: boolean;
  /** Lets others run if the current piece has taken its time. Call it between all steps. */
  pause(): Promise<void>;
}

/** Divides a thread's time among the reads of all projects. */
export class ReadLoad {
  readonly maxMs: number;
  readonly turns = new Turns();
  readonly slots = new Slots(LONG_AT_ONCE, LONG_OF_PROJECT);
  readonly #now: () => number;
  readonly #limiter: RateLimiter | undefined;
  #isStopped = false;

  constructor({ perMinute, now, maxMs = MAX_MS }: ReadLoadOptions) {
    this.maxMs = maxMs;
    this.#now = now;
    this.#limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Lets every read answer with what it has found. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Runs a read, piece by piece.
   *
   * @throws {Refusal} if its key has made too many long ones.
   */
  async run<Answer>(caller: ReadCaller, read: (work: Work) => Promise<Answer>): Promise<Answer> {
    const pace = new Pace(this, caller);
    try {
      return await read(pace);
    } finally {
      pace.end();
    }
  }

  /**
   * Counts a long read.
   *
   * @throws {Refusal} if its key has made too many.
   */
  countLong(keyId: string): void {
    const hint = "Searches are short if they name an id, what failed, or a short time.";
    if (this.#limiter) countCall(this.#limiter, { keyId, what: "long search", now: this.#now(), hint });
  }
}

/** Divides a read into pieces, and limits how long it takes. */
class Pace implements Work {
  readonly #load: ReadLoad;
  readonly #caller: ReadCaller;
  readonly #endsAt: number;
  #pieceStart = Number.NEGATIVE_INFINITY;
  #worked = 0;
  #isLong = false;
  #hasSlot = false;

  constructor(load: ReadLoad, caller: ReadCaller) {
    this.#load = load;
    this.#endsAt = performance.now() + load.maxMs;
    this.#caller = caller;
  }

  get isOver(): boolean {
    return this.#caller.signal.aborted || this.#load.isStopped || performance.now() >= this.#endsAt;
  }

  get isDue(): boolean {
    return performance.now() - this.#pieceStart >= PIECE_MS;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    const { projectId, keyId } = this.#caller;
    if (this.#pieceStart > 0) this.#worked += performance.now() - this.#pieceStart;
    if (this.#worked > SHORT_MS && !this.#isLong) {
      this.#isLong = true;
      this.#load.countLong(keyId);
      this.#hasSlot = await this.#load.slots.take(projectId, this.#endsAt - performance.now());
    }
    await this.#load.turns.next(projectId);
    this.#pieceStart = performance.now();
  }

  end(): void {
    if (this.#hasSlot) this.#load.slots.give(this.#caller.projectId);
    this.#hasSlot = false;
  }
}

/** Adds a value to the list of a key. */
function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Gives each turn of the event loop to one project that waits, in rotation, whatever the number of its reads. */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #isRunning = false;

  next(projectId: string): Promise<void> {
    return new Promise((resolve) => {
      addTo(this.#waiting, projectId, resolve);
      if (!this.#isRunning) setImmediate(() => this.#run());
      this.#isRunning = true;
    });
  }

  #run(): void {
    const [[projectId, [begin, ...others]] = ["", []]] = this.#waiting;
    // The project's next read waits behind the other projects.
    this.#waiting.delete(projectId);
    if (others.length > 0) this.#waiting.set(projectId, others);
    this.#isRunning = this.#waiting.size > 0;
    if (this.#isRunning) setImmediate(() => this.#run());
    begin?.();
  }
}

/** Lets some reads run at once, and fewer of each project. Projects that wait take turns. */
export class Slots {
  #free: number;
  readonly #ofEach: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param count How many run at once. */
  constructor(count: number, ofEach: number) {
    this.#free = count;
    this.#ofEach = ofEach;
  }

  /** Waits for a slot. Resolves with false if none is free in time. */
  async take(projectId: string, withinMs: number): Promise<boolean> {
    if (this.#canTake(projectId)) {
      this.#take(projectId);
      return true;
    }
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        this.#take(projectId);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#forget(projectId, begin);
        resolve(false);
      }, withinMs);
      addTo(this.#waiting, projectId, begin);
    });
  }

  /** Gives a slot back. */
  give(projectId: string): void {
    const left = (this.#taken.get(projectId) ?? 1) - 1;
    if (left === 0) this.#taken.delete(projectId);
    else this.#taken.set(projectId, left);
    this.#free += 1;
    for (const [next, [begin]] of this.#waiting) {
      if (!begin || !this.#canTake(next)) continue;
      this.#forget(next, begin);
      begin();
      return;
    }
  }

  #canTake(projectId: string): boolean {
    return this.#free > 0 && (this.#taken.get(projectId) ?? 0) < this.#ofEach;
  }

  #take(projectId: string): void {
    this.#free -= 1;
    this.#taken.set(projectId, (this.#taken.get(projectId) ?? 0) + 1);
  }

  /** Removes one that waits; the others of its project wait behind the other projects. */
  #forget(projectId: string, begin: () => void): void {
    const others = this.#waiting.get(projectId)?.filter((other) => other !== begin) ?? [];
    this.#waiting.delete(projectId);
    if (others.length > 0) this.#waiting.set(projectId, others);
  }
}
