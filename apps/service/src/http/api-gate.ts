import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { networkOf } from "@media-ops/public-addresses";
import type { Logger } from "pino";
import type { ApiKey, KeyRing } from "../keys/api-keys.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import { MinuteLog } from "../log.js";
import { Refusal } from "../refusal.js";
import { redact } from "../secrets/redact.js";
import { keepConnection, type ListenerLimits } from "./listening.js";
import type { Admission, Call, Gate } from "./route.js";

/** The caller of an operation. */
export interface ApiCaller {
  readonly key: ApiKey;
  readonly credential: Credential;
}

/** Identifies callers by their API keys. */
export class ApiCallers {
  readonly #keys: KeyRing;
  /** The last caller of each connection: hashing the same key for each call would cost too much. */
  readonly #last = new WeakMap<Socket, { authorization: string | undefined; caller: ApiCaller }>();

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** The caller, if its key is cached as good. The database is not read. */
  known({ headers: { authorization }, socket }: IncomingMessage): ApiCaller | undefined {
    const last = this.#last.get(socket);
    if (last && last.authorization === authorization && this.#keys.isGood(last.caller.key)) return last.caller;
    const credential = credentialOf(authorization, "mo");
    const key = credential && this.#keys.identify(credential);
    if (!key || key.revokedAt !== null) return undefined;
    return this.#remember(socket, authorization, { key, credential });
  }

  /** Like `known`, but also finds a key that was created a moment ago. */
  async find(request: IncomingMessage): Promise<ApiCaller | undefined> {
    const known = this.known(request);
    if (known) return known;
    const { authorization } = request.headers;
    const credential = credentialOf(authorization, "mo");
    const key = credential && (await this.#keys.authenticate(credential));
    return key && this.#remember(request.socket, authorization, { key, credential });
  }

  #remember(socket: Socket, authorization: string | undefined, caller: ApiCaller): ApiCaller {
    this.#last.set(socket, { authorization, caller });
    keepConnection(socket);
    return caller;
  }
}

interface ApiGateOptions {
  readonly callers: ApiCallers;
  readonly perMinute: number;
  /** Names these calls in a refusal, such as "token". */
  readonly what: string;
  now(): number;
}

/** Admits calls with a good API key, as long as the key has calls left in this minute. */
export class ApiGate implements Gate<ApiCaller> {
  readonly #options: ApiGateOptions;
  readonly #limiter: RateLimiter | undefined;

  constructor(options: ApiGateOptions) {
    this.#options = options;
    this.#limiter = options.perMinute === 0 ? undefined : new RateLimiter(options.perMinute);
  }

  async admit({ request }: Call): Promise<Admission<ApiCaller>> {
    const caller = await this.#options.callers.find(request);
    if (caller) {
      const { what, now } = this.#options;
      const counted = { keyId: caller.key.keyId, what, now: now() };
      return { caller, headers: this.#limiter && countCall(this.#limiter, counted) };
    }
    const detail =
      'The API key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the project\'s API key.';
    throw new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
  }
}

const REQUESTED_BY = /^[ -~]{1,255}$/;

/** On whose behalf a call is made, by its own word. @throws {Refusal} if the header is malformed. */
export function requestedByOf({ headers }: IncomingMessage): string | undefined {
  const given = headers["x-requested-by"];
  if (given === undefined || given === "") return undefined;
  if (typeof given === "string" && REQUESTED_BY.test(given) && redact(given) === given) return given;
  throw new Refusal(
    "bad-request",
    "The header x-requested-by must have 1 to 255 visible ASCII characters, and no secret.",
  );
}

interface CountedCall {
  readonly keyId: string;
  readonly what: string;
  readonly now: number;
  readonly hint?: string;
}

/** Counts a call. Returns the headers that tell the caller how many are left. @throws {Refusal} if none was. */
export function countCall(
  limiter: RateLimiter,
  { keyId, what, now, hint }: CountedCall,
): Readonly<Record<string, string>> {
  const { allowed, limit, remaining, resetSeconds } = limiter.take(keyId, now);
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
  if (allowed) return headers;
  const wait = resetSeconds === 1 ? "1 second" : `${resetSeconds} seconds`;
  const detail = `This API key has made ${limit} ${what} calls within a minute. Try again in ${wait}.`;
  throw new Refusal("too-many-requests", hint ? `${detail} ${hint}` : detail, {
    headers: { ...headers, "retry-after": String(resetSeconds) },
  });
}

interface WrongKeysOptions {
  readonly callers: ApiCallers;
  readonly log: Logger;
  now(): number;
  readonly limits?: Pick<ListenerLimits, "wrongKeysPerMinute" | "holdMs"> | undefined;
}

// Allows an office of several people ten documentation pages a minute each, and costs the service little.
const WRONG_KEYS_PER_MINUTE = 300;
// Slows down callers that retry at once, at the cost of a timer.
const HOLD_MS = 1000;

/** Limits the calls without a good key by address: more are held for a second or two, and then refused. */
export class WrongKeys {
  readonly #options: WrongKeysOptions;
  readonly #limiter: RateLimiter;
  readonly #held = new WeakSet<Socket>();
  readonly #warning: MinuteLog;

  constructor(options: WrongKeysOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(options.limits?.wrongKeysPerMinute ?? WRONG_KEYS_PER_MINUTE);
    this.#warning = new MinuteLog(options.now);
  }

  /** @throws {Refusal} after a delay, if the key is wrong and the address has exceeded the limit of such calls. */
  async throttle(request: IncomingMessage): Promise<void> {
    const { callers, log, now } = this.#options;
    if (callers.known(request)) return;
    const address = networkOf(request.socket.remoteAddress ?? "");
    const { allowed, limit } = this.#limiter.take(address, now());
    if (allowed || (await this.#isGoodAfterAll(request))) return;
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
    // Without a limit, pipelined requests could hold any number of calls.
    if (this.#held.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#held.add(socket);
    socket.pause();
    // The delays differ: refusals in a single turn of the event loop would delay everything else.
    const held = setTimeout(holdMs * (1 + Math.random()), undefined, { ref: false });
    // If the keys cannot be read, the key ring reports it.
    const caller = await this.#options.callers.find(request).catch(() => undefined);
    if (!caller) await held;
    this.#held.delete(socket);
    socket.resume();
    return caller !== undefined;
  }
}

const WINDOW_MS = 60_000;
// About ten megabytes. Further callers replace those whose minute began first.
const MAX_CALLERS = 100_000;

/** Limits the calls of each caller per minute. A caller's minute begins with its first call. */
export class RateLimiter {
  readonly #limit: number;
  readonly #windows = new Map<string, { readonly endsAt: number; calls: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(caller: string, now: number) {
    const window = this.#windowOf(caller, now);
    const allowed = window.calls < this.#limit;
    if (allowed) window.calls += 1;
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.calls,
      resetSeconds: Math.ceil((window.endsAt - now) / 1000),
    };
  }

  #windowOf(caller: string, now: number) {
    const known = this.#windows.get(caller);
    // A window that ends later than a minute from now began before the clock was set back.
    if (known && known.endsAt > now && known.endsAt <= now + WINDOW_MS) return known;
    this.#windows.delete(caller);
    for (const [other, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < MAX_CALLERS) break;
      this.#windows.delete(other);
    }
    const window = { endsAt: now + WINDOW_MS, calls: 0 };
    this.#windows.set(caller, window);
    return window;
  }
}
