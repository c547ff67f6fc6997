import { setTimeout } from "node:timers/promises";
import { countCall, RateLimiter } from "../http/api-gate.js";
import { KeyedSlots } from "../keyed-slots.js";

// Others wait at most for one piece of each project that reads.
export const PIECE_MS = 4;
// Reads that an index answers need less work than this.
const SHORT_MS = 50;
// How much more than half of the time a project may have had before it rests.
const LENIENCE_MS = 100;
// For how long after a read its project is expected to read again.
const TOGETHER_MS = 1000;
// The reads of a project share its time anyway: more at once would only need more memory.
const LONG_OF_PROJECT = 2;
// A caller prefers a part of the answer to a longer wait.
const MAX_MS = 2000;

interface ReadLoadOptions {
  /** How many long reads a key may make in a minute; 0 sets no limit. */
  readonly perMinute: number;
  now(): number;
  /** After how many ms a read answers with what it has found. @default 2000 */
  readonly maxMs?: number;
  /** Whether reads rest as long as they worked: PostgreSQL gives them the priority of the rest. @default false */
  readonly rest?: boolean;
}

/** The caller of a read. */
export interface ReadCaller {
  readonly projectId: string;
  readonly keyId: string;
  readonly signal: AbortSignal;
  /** Whether it reads for an act, such as revoking tokens: that has a limit of its own. @default false */
  readonly isAct?: boolean;
}

/** Paces a long task, so that others of its thread have their turns. */
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
  readonly slots = new KeyedSlots(LONG_OF_PROJECT);
  readonly short = new Set<Pace>();
  /** Whether every read answers with what it has found. */
  isStopped = false;
  readonly #now: () => number;
  readonly #limiter: RateLimiter | undefined;

  constructor({ perMinute, now, maxMs = MAX_MS, rest = false }: ReadLoadOptions) {
    this.maxMs = maxMs;
    this.turns = new Turns(rest);
    this.#now = now;
    this.#limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute);
  }

  /** Runs a read, piece by piece. Throws a refusal if its key has made too many long ones. */
  async run<Answer>(caller: ReadCaller, read: (work: Work) => Promise<Answer>): Promise<Answer> {
    const pace = new Pace(this, caller);
    try {
      return await read(pace);
    } finally {
      pace.end();
    }
  }

  countLong(keyId: string): void {
    const hint = "Searches are short if they name an id, what failed, or a short time.";
    if (this.#limiter) countCall(this.#limiter, { keyId, what: "long search", now: this.#now(), hint });
  }
}

class Pace implements Work {
  readonly projectId: string;
  readonly shortEnd: Promise<void>;
  readonly #load: ReadLoad;
  readonly #caller: ReadCaller;
  readonly #endsAt: number;
  #pieceStart: number | undefined;
  #sharedStart = 0;
  #worked = 0;
  #releaseSlot: (() => void) | undefined;
  #endShort: () => void = () => {};

  constructor(load: ReadLoad, caller: ReadCaller) {
    this.#load = load;
    this.#caller = caller;
    this.projectId = caller.projectId;
    this.#endsAt = performance.now() + load.maxMs;
    this.shortEnd = new Promise((resolve) => {
      this.#endShort = resolve;
    });
    load.short.add(this);
  }

  get isOver(): boolean {
    return this.#caller.signal.aborted || this.#load.isStopped || performance.now() >= this.#endsAt;
  }

  get isDue(): boolean {
    return this.#pieceStart === undefined || performance.now() - this.#pieceStart >= PIECE_MS;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    this.#endPiece();
    if (this.#worked > SHORT_MS) await this.#becomeLong();
    await this.#load.turns.next(this.projectId);
    // Others may have begun while it waited for its turn.
    if (this.#load.turns.isHeavy(this.projectId)) await this.#waitForShort();
    this.#sharedStart = this.#load.turns.share(1);
    this.#pieceStart = performance.now();
  }

  /** Counts it as a long read, and waits until fewer of its project run. */
  async #becomeLong(): Promise<void> {
    if (!this.#load.short.has(this)) return;
    this.#endAsShort();
    if (!this.#caller.isAct) this.#load.countLong(this.#caller.keyId);
    const inTime = AbortSignal.timeout(Math.max(0, Math.ceil(this.#endsAt - performance.now())));
    this.#releaseSlot = await this.#load.slots.take(this.projectId, inTime);
  }

  /** Waits for the short reads of projects that read little. */
  async #waitForShort(): Promise<void> {
    const { short, turns } = this.#load;
    const first = [...short].filter(({ projectId }) => projectId !== this.projectId && !turns.isHeavy(projectId));
    if (first.length === 0) return;
    const ended = Promise.all(first.map(({ shortEnd }) => shortEnd));
    await Promise.race([ended, setTimeout(SHORT_MS, undefined, { ref: false })]);
  }

  #endAsShort(): void {
    this.#load.short.delete(this);
    this.#endShort();
  }

  end(): void {
    this.#endPiece();
    this.#endAsShort();
    this.#releaseSlot?.();
  }

  #endPiece(): void {
    if (this.#pieceStart === undefined) return;
    const ms = this.#load.turns.share(-1) - this.#sharedStart;
    this.#worked += ms;
    this.#load.turns.end(this.projectId, this.#pieceStart, ms);
    this.#pieceStart = undefined;
  }
}

interface ProjectTurns {
  readonly waiting: (() => void)[];
  isTaken: boolean;
  /** When the project will have had no more than half of the time, if it rests until then. */
  restedAt: number;
}

/** Gives turns to the reads of each project, one at a time, so that projects share a thread whatever they ask. */
export class Turns {
  readonly #mustRest: boolean;
  readonly #projects = new Map<string, ProjectTurns>();
  #last: string | undefined;
  #togetherUntil = 0;
  #atWork = 0;
  #sharedMs = 0;
  #sharedAt = 0;

  /** @param mustRest Whether a project must have rested before its next turn. */
  constructor(mustRest: boolean) {
    this.#mustRest = mustRest;
  }

  /** Adds or removes a piece of work. Returns a clock that slows down with the number of pieces: each has its share. */
  share(pieces: 1 | -1): number {
    const now = performance.now();
    if (this.#atWork > 0) this.#sharedMs += (now - this.#sharedAt) / this.#atWork;
    this.#sharedAt = now;
    this.#atWork += pieces;
    return this.#sharedMs;
  }

  /** Waits for a turn, which lasts until `end` is called. */
  next(projectId: string): Promise<void> {
    const own = this.#projects.get(projectId) ?? { waiting: [], isTaken: false, restedAt: 0 };
    this.#projects.set(projectId, own);
    if (projectId !== this.#last && this.#last) this.#togetherUntil = performance.now() + TOGETHER_MS;
    this.#last = projectId;
    return new Promise((resolve) => {
      own.waiting.push(resolve);
      if (!own.isTaken) this.#begin(projectId);
    });
  }

  /** Ends a turn that began at a time, and had a share of the time since then. */
  end(projectId: string, since: number, ms: number): void {
    const own = this.#projects.get(projectId);
    if (!own) return;
    // Short reads need no rest, and what came before is forgotten after a short one.
    own.restedAt = Math.min(Math.max(own.restedAt, since - SHORT_MS) + 2 * ms, performance.now() + 2 * LENIENCE_MS);
    own.isTaken = false;
    this.#begin(projectId);
  }

  isHeavy(projectId: string): boolean {
    return (this.#projects.get(projectId)?.restedAt ?? 0) > performance.now();
  }

  #begin(projectId: string): void {
    const own = this.#projects.get(projectId);
    const begin = own?.waiting.shift();
    if (!own || !begin) return;
    own.isTaken = true;
    const restMs = own.restedAt - LENIENCE_MS - performance.now();
    // A project that reads alone may use all of the time, unless it has several reads at once.
    const mustRest = own.waiting.length > 0 || performance.now() < this.#togetherUntil;
    if (this.#mustRest && mustRest && restMs > 0) void setTimeout(restMs).then(begin);
    // Other projects, and calls that arrived meanwhile, are next.
    else setImmediate(begin);
  }
}
