import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import { type FastLaneWays, MAX_BODY_BYTES, pathIn, requestIdOf } from "./create-app.js";
import { endWith, failedToAnswer, refusalAnswer } from "./lane-answer.js";
import { MinuteLog } from "./minute-log.js";
import { networkOf } from "./network-of.js";
import { Refusal } from "./refusal.js";

/** Options of {@link WrongKeys}. */
export interface WrongKeysOptions {
  readonly keys: Pick<KeyRing, "identify" | "refreshSoon">;
  readonly log: Logger;
  now(): number;
  /** How many calls without a good key an address may make in a minute. @default 300 */
  readonly wrongKeysPerMinute?: number;
  /** From 0 to 1. @default Math.random */
  random?(): number;
}

/** The calls without a good key that an address has made since its minute began. */
interface Minute {
  readonly endsAt: number;
  calls: number;
}

const MINUTE_MS = 60_000;
// Ten pages of the documentation a minute for each person of an office, and little work for the service.
const PER_MINUTE = 300;
// Callers that try again at once are slowed down by it, at the cost of a timer. From one to two of these.
const HOLD_MS = 1000;
// About a megabyte. More addresses than that push out those that called longest ago.
const MAX_ADDRESSES = 10_000;

/**
 * Limits the calls without a good key by address. Those over the limit are held for a second or two and then refused,
 * past the framework. A call with a good key always passes, whatever others have sent from its address.
 */
export class WrongKeys {
  readonly #options: WrongKeysOptions;
  readonly #limit: number;
  readonly #random: () => number;
  readonly #minutes = new LRUCache<string, Minute>({ max: MAX_ADDRESSES });
  readonly #held = new WeakSet<Socket>();
  readonly #warning: MinuteLog;

  constructor(options: WrongKeysOptions) {
    this.#options = options;
    this.#limit = options.wrongKeysPerMinute ?? PER_MINUTE;
    this.#random = options.random ?? Math.random;
    this.#warning = new MinuteLog(options.now);
  }

  /** Passes a call on, unless its key is wrong and its address has made too many such calls. */
  pass(request: IncomingMessage, response: ServerResponse, ways: FastLaneWays): void {
    if (this.#hasGoodKey(request) || this.#count(request)) ways.otherwise();
    else {
      this.#hold(request, response, ways).catch((error) => failedToAnswer(error, response, this.#options.log));
    }
  }

  #hasGoodKey({ headers }: IncomingMessage): boolean {
    const credential = credentialOf(headers.authorization, "mo");
    return credential !== undefined && this.#options.keys.identify(credential)?.revokedAt === null;
  }

  /** Counts a call; false if its address has none left. */
  #count({ socket }: IncomingMessage): boolean {
    const minute = this.#minuteOf(socket);
    minute.calls += 1;
    return minute.calls <= this.#limit;
  }

  #minuteOf({ remoteAddress = "" }: Socket): Minute {
    const now = this.#options.now();
    const address = networkOf(remoteAddress);
    const known = this.#minutes.get(address);
    // One that ends later than a minute from now began before the clock was set back.
    if (known && known.endsAt > now && known.endsAt <= now + MINUTE_MS) return known;
    const begun = { endsAt: now + MINUTE_MS, calls: 0 };
    this.#minutes.set(address, begun);
    return begun;
  }

  async #hold(request: IncomingMessage, response: ServerResponse, ways: FastLaneWays): Promise<void> {
    const since = performance.now();
    const { socket } = request;
    if (this.#held.has(socket)) {
      // Requests that come without waiting for the answer would be held without number.
      socket.destroy();
      return;
    }
    this.#held.add(socket);
    socket.pause();
    // Not all at the same time: they would be refused in one turn of the loop, which nobody else could use.
    const held = setTimeout(HOLD_MS * (1 + this.#random()), undefined, { ref: false });
    const isGood = await this.#isGoodByNow(request);
    if (!isGood) await held;
    this.#held.delete(socket);
    socket.resume();
    if (isGood) ways.otherwise();
    else if (!response.destroyed) this.#refuse(request, response, { ways, since });
  }

  /** Whether the key was created a moment ago. */
  async #isGoodByNow(request: IncomingMessage): Promise<boolean> {
    if (!credentialOf(request.headers.authorization, "mo")) return false;
    // If the keys cannot be read, the key ring reports it.
    await this.#options.keys.refreshSoon().catch(() => {});
    return this.#hasGoodKey(request);
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { ways, since }: { ways: FastLaneWays; since: number },
  ): void {
    const { log, now } = this.#options;
    const address = networkOf(request.socket.remoteAddress ?? "");
    this.#warning.note((count) => log.warn({ address, count }, "too many calls without a good API key were refused"));
    const seconds = Math.ceil((this.#minuteOf(request.socket).endsAt - now()) / 1000);
    const detail = `The API key is missing, unknown or revoked, and your address has made more than ${this.#limit} such calls within a minute. Send a good key, which passes at once, or try again in ${seconds} s.`;
    const refusal = new Refusal("too-many-requests", detail, { headers: { "retry-after": String(seconds) } });
    const requestId = requestIdOf(request);
    const answer = refusalAnswer(refusal, { requestId, bodyLimit: MAX_BODY_BYTES, log });
    // The rest of the request is not read: the connection ends with the answer.
    endWith(response, answer, { requestId, isStopping: true });
    const url = request.url ?? "";
    ways.answered({ path: pathIn(url), url, request, status: answer.status, elapsedMs: performance.now() - since });
  }
}
