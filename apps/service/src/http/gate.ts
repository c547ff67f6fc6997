import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { ApiKey } from "../keys/api-keys.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import { keepConnection } from "./connection-limits.js";
import type { RateLimiter } from "./rate-limiter.js";
import { Refusal } from "./refusal.js";

/** Whose call it is. */
export interface Caller {
  readonly key: ApiKey;
  /** The key's text, which signs the tokens. */
  readonly credential: Credential;
}

/** What a gate needs. */
export interface GateOptions {
  keys: KeyRing;
  /** Counts the calls of each key. */
  limiter: RateLimiter;
  /** What these calls are called, such as "token". */
  what: string;
  now(): number;
}

/** The caller that a connection has shown itself to be, so that the same key need not be looked at with each call. */
interface Shown {
  readonly authorization: string;
  readonly caller: Caller;
}

const shown = new WeakMap<Socket, Shown>();

/** A gate that may have to ask whether a key is good. */
export type AskedGate = Pick<Gate, "callerOf" | "count">;

/** Lets through whoever has a good key and has not called too often. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Whose call it is, if its key is known to be good: nobody is asked. */
  known({ authorization }: IncomingHttpHeaders, socket: Socket): Caller | undefined {
    const { keys } = this.#options;
    const before = shown.get(socket);
    if (before?.authorization === authorization && before && keys.isGood(before.caller.key)) return before.caller;
    const credential = credentialOf(authorization, "mo");
    const key = credential && keys.identify(credential);
    if (authorization === undefined || !key || !keys.isGood(key)) return undefined;
    const caller = { key, credential };
    shown.set(socket, { authorization, caller });
    keepConnection(socket);
    return caller;
  }

  /**
   * Whose call it is.
   *
   * @throws {Refusal} where the key is not good.
   */
  async callerOf({ authorization }: IncomingHttpHeaders): Promise<Caller> {
    const credential = credentialOf(authorization, "mo");
    const key = credential && (await this.#options.keys.authenticate(credential));
    if (key) return { key, credential };
    const detail =
      'The API key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the project\'s API key.';
    throw new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
  }

  /**
   * Counts a call. Gives the headers that tell how many are left; none where there is no limit.
   *
   * @throws {Refusal} where there are none left.
   */
  count({ key }: Caller): Readonly<Record<string, string>> | undefined {
    const { limiter, now, what } = this.#options;
    const allowance = limiter.take(key.keyId, now());
    if (!allowance) return undefined;
    const { allowed, limit, remaining, resetSeconds } = allowance;
    const headers = {
      "ratelimit-limit": String(limit),
      "ratelimit-remaining": String(remaining),
      "ratelimit-reset": String(resetSeconds),
    };
    if (allowed) return headers;
    const wait = resetSeconds === 1 ? "1 second" : `${resetSeconds} seconds`;
    const detail = `This API key has made ${limit} ${what} calls within a minute. Try again in ${wait}.`;
    throw new Refusal("too-many-requests", detail, { headers: { ...headers, "retry-after": String(resetSeconds) } });
  }
}
