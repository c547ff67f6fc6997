import { countCall, RateLimiter } from "../http/api-gate.js";

// Other calls wait at most for one piece of all searches together, and for what the event loop does in between.
const PIECE_MS = 4;
// Searches that an index answers need less work than this.
const SHORT_MS = 50;
const LONG_AT_ONCE = 2;
// A caller prefers a part of the answer to a longer wait.
const MAX_MS = 2000;

interface SearchLoadOptions {
  /** How many long searches a key may make in a minute; 0 sets no limit. */
  readonly perMinute: number;
  /** In ms since 1970. */
  now(): number;
  /** After how many ms a search answers with what it has found. @default 2000 */
  readonly maxMs?: number;
}

/** Divides a process' time among its searches. */
export class SearchLoad {
  readonly maxMs: number;
  readonly #now: () => number;
  readonly #limiter: RateLimiter | undefined;
  readonly turns = new Turns();
  readonly slots = new Slots(LONG_AT_ONCE);
  #isStopped = false;

  constructor({ perMinute, now, maxMs = MAX_MS }: SearchLoadOptions) {
    this.maxMs = maxMs;
    this.#now = now;
    this.#limiter = perMinute === 0 ? undefined : new RateLimiter(perMinute);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Lets every search answer with what it has found. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Counts a long search.
   *
   * @throws {Refusal} if its key has made too many.
   */
  countLong(keyId: string): void {
    const hint = "Searches are short if they name an id, what failed, or a short time.";
    if (this.#limiter) countCall(this.#limiter, { keyId, what: "long search", now: this.#now(), hint });
  }
}

/** Divides a search into pieces, and limits how long it takes. */
export class Pace {
  readonly #load: SearchLoad;
  readonly #keyId: string;
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  #pieceStart = Number.NEGATIVE_INFINITY;
  #worked = 0;
  #isLong = false;
  #hasSlot = false;

  /** @param signal Aborted when the caller has left. */
  constructor(load: SearchLoad, keyId: string, signal: AbortSignal) {
    this.#load = load;
    this.#endsAt = performance.now() + load.maxMs;
    this.#keyId = keyId;
    this.#signal = signal;
  }

  /** Whether the search has to answer with what it has found. */
  get isOver(): boolean {
    return this.#signal.aborted || this.#load.isStopped || performance.now() >= this.#endsAt;
  }

  /** Whether the current piece has taken its time. */
  get isDue(): boolean {
    return performance.now() - this.#pieceStart >= PIECE_MS;
  }

  /** Lets others run if the current piece has taken its time. Call it between all steps. */
  async pause(): Promise<void> {
    if (!this.isDue) return;
    if (this.#pieceStart > 0) this.#worked += performance.now() - this.#pieceStart;
    if (this.#worked > SHORT_MS && !this.#isLong) {
      this.#isLong = true;
      this.#load.countLong(this.#keyId);
      this.#hasSlot = await this.#load.slots.take(this.#keyId, this.#endsAt - performance.now());
    }
    await this.#load.turns.next();
    this.#pieceStart = performance.now();
  }

  end(): void {
    if (this.#hasSlot) this.#load.slots.give();
    this.#hasSlot = false;
  }
}

/** Gives each turn of the event loop to one of those who wait. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#run());
    });
  }

  #run(): void {
    if (this.#waiting.length > 1) setImmediate(() => this.#run());
    this.#waiting.shift()?.();
  }
}

/** Lets some run at once. Those who wait take turns by their keys, so that a key with many doesn't delay the others. */
export class Slots {
  #free: number;
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param count How many run at once. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. Resolves with false if none is free in time. */
  async take(key: string, withinMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      const timer = setTimeout(() => {
        waiting.delete(begin);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve(false);
      }, withinMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.set(key, waiting.add(begin));
    });
  }

  /** Gives a slot back. */
  give(): void {
    for (const [key, waiting] of this.#waiting) {
      const [first, ...others] = waiting;
      // The key's next one waits behind the other keys.
      this.#waiting.delete(key);
      if (first) waiting.delete(first);
      if (others.length > 0) this.#waiting.set(key, waiting);
      first?.();
      return;
    }
    this.#free += 1;
  }
}
