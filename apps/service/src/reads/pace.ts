import { countCall, RateLimiter } from "../http/api-gate.js";

// Others wait at most for one piece of each project that reads.
const PIECE_MS = 4;
// Reads that an index answers need less work than this.
const SHORT_MS = 50;
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
  /**
   * How long a project's reads rest, as a multiple of the time that they take. PostgreSQL works for them with the
   * priority of everything else.
   *
   * @default 0
   */
  readonly rest?: number;
}

/** The caller of a read. */
export interface ReadCaller {
  readonly projectId: string;
  readonly keyId: string;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Whether it reads for an act, such as revoking tokens: that has a limit of its own. @default false */
  readonly isAct?: boolean;
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
  readonly turns: Turns;
  readonly slots = new Slots(LONG_OF_PROJECT);
  readonly #now: () => number;
  readonly #limiter: RateLimiter | undefined;
  #isStopped = false;

  constructor({ perMinute, now, maxMs = MAX_MS, rest = 0 }: ReadLoadOptions) {
    this.maxMs = maxMs;
    this.turns = new Turns(rest);
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
  #pieceStart: number | undefined;
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
    return this.#pieceStart === undefined || performance.now() - this.#pieceStart >= PIECE_MS;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    const { projectId, keyId, isAct = false } = this.#caller;
    this.#endPiece();
    if (this.#worked > SHORT_MS && !this.#isLong) {
      this.#isLong = true;
      if (!isAct) this.#load.countLong(keyId);
      this.#hasSlot = await this.#load.slots.take(projectId, this.#endsAt - performance.now());
    }
    await this.#load.turns.next(projectId);
    this.#pieceStart = performance.now();
  }

  end(): void {
    this.#endPiece();
    if (this.#hasSlot) this.#load.slots.give(this.#caller.projectId);
    this.#hasSlot = false;
  }

  #endPiece(): void {
    if (this.#pieceStart === undefined) return;
    const pieceMs = performance.now() - this.#pieceStart;
    this.#pieceStart = undefined;
    this.#worked += pieceMs;
    this.#load.turns.end(this.#caller.projectId, pieceMs);
  }
}

/** Gives turns to the reads of each project, one at a time, so that projects share a thread whatever they ask. */
export class Turns {
  readonly #rest: number;
  readonly #projects = new Map<string, { readonly waiting: (() => void)[]; isTaken: boolean; restedAt: number }>();

  constructor(rest: number) {
    this.#rest = rest;
  }

  /** Waits for a turn, which lasts until `end` is called. */
  next(projectId: string): Promise<void> {
    const own = this.#projects.get(projectId) ?? { waiting: [], isTaken: false, restedAt: 0 };
    this.#projects.set(projectId, own);
    return new Promise((resolve) => {
      own.waiting.push(resolve);
      if (!own.isTaken) this.#begin(projectId);
    });
  }

  /** Ends a turn that took a time. */
  end(projectId: string, ms: number): void {
    const own = this.#projects.get(projectId);
    if (!own) return;
    const now = performance.now();
    // Short reads don't rest.
    own.restedAt = Math.max(own.restedAt, now - ms - SHORT_MS) + ms * (1 + this.#rest);
    own.isTaken = false;
    if (own.waiting.length > 0) this.#begin(projectId);
    else if (own.restedAt <= now) this.#projects.delete(projectId);
  }

  #begin(projectId: string): void {
    const own = this.#projects.get(projectId);
    const [begin] = own?.waiting.splice(0, 1) ?? [];
    if (!own || !begin) return;
    own.isTaken = true;
    const wait = own.restedAt - performance.now();
    // Other projects, and the calls that have come, are next.
    if (wait > 0) setTimeout(begin, wait);
    else setImmediate(begin);
  }
}

/** Lets some reads of each project run at once. The others wait in their order. */
export class Slots {
  readonly #ofEach: number;
  readonly #projects = new Map<string, { taken: number; readonly waiting: Set<() => void> }>();

  constructor(ofEach: number) {
    this.#ofEach = ofEach;
  }

  /** Waits for a slot. Resolves with false if none is free in time. */
  async take(projectId: string, withinMs: number): Promise<boolean> {
    const own = this.#projects.get(projectId) ?? { taken: 0, waiting: new Set() };
    this.#projects.set(projectId, own);
    if (own.taken < this.#ofEach) {
      own.taken += 1;
      return true;
    }
    return new Promise((resolve) => {
      const end = (hasSlot: boolean): void => {
        clearTimeout(timer);
        own.waiting.delete(begin);
        resolve(hasSlot);
      };
      const begin = (): void => end(true);
      const timer = setTimeout(end, withinMs, false);
      own.waiting.add(begin);
    });
  }

  /** Gives a slot to the next read of the project. */
  give(projectId: string): void {
    const own = this.#projects.get(projectId);
    const [begin] = own?.waiting ?? [];
    if (begin) begin();
    else if (own && own.taken > 1) own.taken -= 1;
    else this.#projects.delete(projectId);
  }
}
