import { RateLimited } from "../http.js";
import type { Channel, Team } from "./model.js";
import { perWorld, type World } from "./world.js";

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

interface Rates {
  readonly limits: Required<RateLimits>;
  readonly windows: Map<string, Window>;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
// Timers and connections are not exact, and Slack's limit is "about" one a second.
const TOLERANCE_MS = 50;

const stateOf = perWorld((): { rates: Rates | undefined } => ({ rates: undefined }));

/** Enforces limits from now on, instead of any earlier ones. */
export function enforceLimits(world: World, given: RateLimits): void {
  const { burst = 1, updatesPerMinute = 50, elapsedMs = () => performance.now() } = given;
  stateOf(world).rates = { limits: { burst, updatesPerMinute, elapsedMs }, windows: new Map() };
}

/** @throws {RateLimited} if there are too many new messages in a conversation, replies included. */
export function countPost(world: World, { id }: Channel): void {
  const { rates } = stateOf(world);
  if (rates) count(rates, `post ${id}`, rates.limits.burst, rates.limits.burst * SECOND);
}

/** @throws {RateLimited} if there are too many updates in a workspace. */
export function countUpdate(world: World, { id }: Team): void {
  const { rates } = stateOf(world);
  if (rates) count(rates, `update ${id}`, rates.limits.updatesPerMinute, MINUTE);
}

/** Counts a call, unless there were too many within a time. A refused one closes the window until its `Retry-After`. */
function count({ limits, windows }: Rates, key: string, most: number, withinMs: number): void {
  const now = limits.elapsedMs();
  const window = windows.get(key) ?? { calls: [], closedUntil: now };
  windows.set(key, window);
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
