import type { Channel, Team } from "./model.js";
import { RateLimited } from "./refusal.js";

/** Slack's rate limits, if they are enforced. */
export interface RateLimits {
  /** The messages that a conversation accepts at once, within as many seconds. @default 1 */
  burst?: number;
  /** The calls of `chat.update` per minute in a workspace. @default 50 */
  updatesPerMinute?: number;
  /** The elapsed time, in milliseconds. @default the real time, whatever the clock of the fake is */
  elapsedMs?: () => number;
}

/** The recent calls under one limit. */
interface Window {
  calls: number[];
  /** The end of the last `Retry-After`. */
  closedUntil: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
// Timers and connections are not exact, and Slack's limit is "about" one a second.
const TOLERANCE_MS = 50;

/** The limits that are enforced, and the calls that count. */
export class Rates {
  readonly #limits: Required<RateLimits>;
  readonly #windows = new Map<string, Window>();

  constructor({ burst = 1, updatesPerMinute = 50, elapsedMs = () => performance.now() }: RateLimits) {
    this.#limits = { burst, updatesPerMinute, elapsedMs };
  }

  /** @throws {RateLimited} if there are too many new messages in a conversation, replies included. */
  countPost({ id }: Channel): void {
    this.#count(`post ${id}`, this.#limits.burst, this.#limits.burst * SECOND);
  }

  /** @throws {RateLimited} if there are too many updates in a workspace. */
  countUpdate({ id }: Team): void {
    this.#count(`update ${id}`, this.#limits.updatesPerMinute, MINUTE);
  }

  /** Counts a call, unless there were too many within a time. A refused one closes the window until its `Retry-After`. */
  #count(key: string, most: number, withinMs: number): void {
    const now = this.#limits.elapsedMs();
    const window = this.#windows.get(key) ?? { calls: [], closedUntil: now };
    this.#windows.set(key, window);
    window.calls = window.calls.filter((at) => at + withinMs - TOLERANCE_MS > now);
    const [first] = window.calls;
    const isFull = first !== undefined && window.calls.length >= most;
    const opensAt = Math.max(window.closedUntil, isFull ? first + withinMs - TOLERANCE_MS : now);
    if (opensAt <= now) {
      window.calls.push(now);
      return;
    }
    const retryAfter = Math.ceil((opensAt - now) / SECOND);
    if (window.closedUntil <= now) window.closedUntil = now + retryAfter * SECOND - TOLERANCE_MS;
    throw new RateLimited(retryAfter);
  }
}
