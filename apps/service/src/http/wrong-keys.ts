import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { MinuteLog } from "../log.js";
import { Refusal } from "../refusal.js";
import type { ApiCallers } from "./api-gate.js";
import { networkOf } from "./connection-limits.js";
import type { ListenerLimits } from "./listening.js";
import { RateLimiter } from "./rate-limiter.js";

/** Options of {@link WrongKeys}. */
export interface WrongKeysOptions {
  readonly callers: ApiCallers;
  readonly log: Logger;
  now(): number;
  readonly limits?: Pick<ListenerLimits, "wrongKeysPerMinute" | "holdMs"> | undefined;
}

// Ten pages of the documentation a minute for each person of an office, and little work for the service.
const PER_MINUTE = 300;
// Callers that try again at once are slowed down by it, at the cost of a timer.
const HOLD_MS = 1000;

/**
 * Limits the calls without a good key by address. Those over the limit are held for a second or two and then refused.
 * A call with a good key always passes, whatever others have sent from its address.
 */
export class WrongKeys {
  readonly #options: WrongKeysOptions;
  readonly #limiter: RateLimiter;
  readonly #held = new WeakSet<Socket>();
  readonly #warning: MinuteLog;

  constructor(options: WrongKeysOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(options.limits?.wrongKeysPerMinute ?? PER_MINUTE);
    this.#warning = new MinuteLog(options.now);
  }

  /**
   * Passes a call, unless its key is wrong and its address has made too many such calls.
   *
   * @throws {Refusal} after a while.
   */
  async throttle(request: IncomingMessage): Promise<void> {
    const { callers, now } = this.#options;
    if (callers.known(request)) return;
    const address = networkOf(request.socket.remoteAddress ?? "");
    const { allowed, limit } = this.#limiter.take(address, now());
    if (allowed || (await this.#isGoodAfterAll(request))) return;
    const { log } = this.#options;
    this.#warning.note((count) => log.warn({ address, count }, "too many calls without a good API key were refused"));
    const { resetSeconds } = this.#limiter.take(address, now());
    const detail = `The API key is missing, unknown or revoked, and your address has made more than ${limit} such calls within a minute. Send a good key, which passes at once, or try again in ${resetSeconds} s.`;
    // The rest of the request is not read: the connection ends with the answer.
    const headers = { "retry-after": String(resetSeconds), connection: "close" };
    throw new Refusal("too-many-requests", detail, { headers, isQuiet: true });
  }

  /** Holds a call, unless its key turns out to have been created a moment ago. */
  async #isGoodAfterAll(request: IncomingMessage): Promise<boolean> {
    const { socket } = request;
    const { holdMs = HOLD_MS } = this.#options.limits ?? {};
    // Requests that come without waiting for the answer would be held without number.
    if (this.#held.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#held.add(socket);
    socket.pause();
    // Not all at the same time: they would be refused in one turn of the event loop, and delay everything else.
    const held = setTimeout(holdMs * (1 + Math.random()), undefined, { ref: false });
    // If the keys cannot be read, the key ring reports it.
    const caller = await this.#options.callers.find(request).catch(() => undefined);
    if (!caller) await held;
    this.#held.delete(socket);
    socket.resume();
    return caller !== undefined;
  }
}
