import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ApiKey } from "../keys/api-keys.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import { Refusal } from "../refusal.js";
import { keepConnection } from "./connection-limits.js";
import { RateLimiter } from "./rate-limiter.js";
import type { Admission, Call, Gate } from "./route.js";

/** The caller of an operation. */
export interface ApiCaller {
  readonly key: ApiKey;
  /** The key's text, which signs the tokens. */
  readonly credential: Credential;
}

/** A caller that has used a connection, and the header by which it was recognised. */
interface KnownCaller {
  readonly authorization: string | undefined;
  readonly caller: ApiCaller;
}

/** Recognises callers by their API keys. */
export class ApiCallers {
  readonly #keys: KeyRing;
  /** The last caller of each connection: hashing the same key for each call would cost too much. */
  readonly #last = new WeakMap<Socket, KnownCaller>();

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** The caller, if the key is known to be good. The database is not read. */
  known({ headers: { authorization }, socket }: IncomingMessage): ApiCaller | undefined {
    const last = this.#last.get(socket);
    if (last && last.authorization === authorization && this.#keys.isGood(last.caller.key)) return last.caller;
    const credential = credentialOf(authorization, "mo");
    const key = credential && this.#keys.identify(credential);
    if (!key || !this.#keys.isGood(key)) return undefined;
    return this.#remember(socket, authorization, { key, credential });
  }

  /** The same, also if the key was created a moment ago. */
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

/** Options of {@link ApiGate}. */
export interface ApiGateOptions {
  readonly callers: ApiCallers;
  /** How many calls a key may make in a minute; 0 sets no limit. */
  readonly perMinute: number;
  /** The name of these calls in a refusal, such as "token". */
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
    if (caller) return { caller, headers: this.#count(caller) };
    const detail =
      'The API key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the project\'s API key.';
    throw new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
  }

  #count({ key }: ApiCaller): Readonly<Record<string, string>> | undefined {
    const allowance = this.#limiter?.take(key.keyId, this.#options.now());
    if (!allowance) return undefined;
    const { allowed, limit, remaining, resetSeconds } = allowance;
    const headers = {
      "ratelimit-limit": String(limit),
      "ratelimit-remaining": String(remaining),
      "ratelimit-reset": String(resetSeconds),
    };
    if (allowed) return headers;
    const wait = resetSeconds === 1 ? "1 second" : `${resetSeconds} seconds`;
    const detail = `This API key has made ${limit} ${this.#options.what} calls within a minute. Try again in ${wait}.`;
    throw new Refusal("too-many-requests", detail, { headers: { ...headers, "retry-after": String(resetSeconds) } });
  }
}
