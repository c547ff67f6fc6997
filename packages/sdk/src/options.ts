import { MediaUsageError } from "./errors.js";
import { version } from "./generated/version.js";

/** Options of the client that each call can override. */
export interface CallOptions {
  /**
   * The maximum number of retries after a connection failure, a timeout, 408, 429 or 5xx.
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * The timeout of one attempt, from sending to the last byte of the response; `Infinity` for none.
   * @default 30_000
   */
  timeoutMs?: number | undefined;
  /**
   * The maximum size of a response, in bytes after decompression; a larger one is a `MediaResponseError`. `Infinity`
   * for no limit.
   * @default 64 * 2 ** 20
   */
  maxResponseBytes?: number | undefined;
  /** Additional headers. A call's own are merged with the client's and take precedence. */
  headers?: Record<string, string> | undefined;
  /**
   * Who requests this, such as a person's id in a chat: 1 to 255 visible ASCII characters. The service stores it with a
   * token that is created, and in the audit log, as your word.
   * @default none
   */
  requestedBy?: string | undefined;
  /** Aborts the whole call, including retries and delays; the reason passed to `abort()` is thrown unchanged. */
  signal?: AbortSignal | undefined;
}

/** Receives the client's log messages; `console` and most loggers are compatible. Secrets are redacted. */
export interface Logger {
  /** An attempt was answered. */
  debug?(message: string): void;
  /** An attempt failed and is retried. */
  warn?(message: string): void;
}

/** The operation and the attempt that a hook is called for. */
export interface HookContext {
  /** The operation, for example `/orgs/list-webhook-logs`. */
  path: string;
  /** 1 for the first attempt. */
  attempt: number;
}

/** A request before it is sent. */
export interface OutgoingRequest extends RequestInit {
  url: string;
  /** May be changed by a hook. */
  headers: Headers;
}

/** A function that sends requests like `globalThis.fetch`. */
export type Fetch = (input: string | Request, init?: RequestInit) => Promise<Response>;

/** Options of {@link createMediaClient}. */
export interface MediaClientOptions extends Omit<CallOptions, "signal"> {
  /**
   * The service's URL, for example `http://127.0.0.1:8080`.
   * @default the environment variable MEDIA_BASE_URL
   */
  baseUrl?: string | URL | undefined;
  /**
   * The project's API key. Keep it on a server: anyone with it can read all logs and create tokens.
   * @default the environment variable MEDIA_API_KEY
   */
  apiKey?: string | undefined;
  /**
   * Sends the requests, for proxies, tests and tracing. It must honour `init.signal`.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined;
  /**
   * The name of your program, a short word such as `"bot"`: added to each URL as `?from=bot`, so that its calls can be
   * told apart in the API log (`where: { from: { eq: "bot" } }`). Calls of `follow()` add `bot-follow`.
   * @default none; `follow` for calls of `follow()`
   */
  from?: string | undefined;
  /**
   * The clock, in milliseconds since 1970.
   * @default Date.now
   */
  now?: (() => number) | undefined;
  /**
   * Receives log messages.
   * @default silent
   */
  logger?: Logger | undefined;
  /** Called before each attempt; may set its headers. An error it throws ends the call. */
  onRequest?: ((request: OutgoingRequest, context: HookContext) => void | Promise<void>) | undefined;
  /**
   * Called after each response, before its body is read; `clone()` the response to read it here. An error it throws
   * ends the call.
   */
  onResponse?: ((response: Response, context: HookContext) => void | Promise<void>) | undefined;
  /**
   * Allows an API key in a browser, where every visitor can read it.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The headers of every request. */
export function defaultHeaders({ headers }: MediaClientOptions, apiKey: string): Record<string, string> {
  return {
    // Browsers send their own, and setting it would require a preflight.
    ...(!isBrowser() && { "user-agent": `media-ops-sdk/${version}` }),
    ...headers,
    authorization: `Bearer ${apiKey}`,
  };
}

/** Validates the options before anything is sent. Neither the key nor the URL is repeated: both may be secret. */
export function checkClientOptions(options: MediaClientOptions): { baseUrl: string; apiKey: string } {
  const { from } = options;
  const apiKey = given("apiKey", "MEDIA_API_KEY", options.apiKey);
  const baseUrl = given("baseUrl", "MEDIA_BASE_URL", options.baseUrl);
  // The characters that RFC 6750 allows.
  check(
    typeof apiKey === "string" && /^[\w.~+/-]+=*$/.test(apiKey),
    "apiKey must be given, without spaces or line breaks.",
  );
  check(
    options.dangerouslyAllowBrowser || !isBrowser(),
    "In a browser every visitor can read the apiKey. Call from a server, or set dangerouslyAllowBrowser.",
  );
  const url = checkBaseUrl(baseUrl);
  check(
    from === undefined || /^[\w-]{1,32}$/.test(from),
    `from must be a word of up to 32 letters, digits and hyphens, not "${from}".`,
  );
  checkRequestedBy(options.requestedBy);
  return { baseUrl: url, apiKey };
}

/** Validates a service's URL, and returns it without a trailing slash. */
export function checkBaseUrl(baseUrl: string | URL): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  check(
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash),
    "baseUrl must be like https://media.example, without user, query or hash.",
  );
  return url.href.replace(/\/+$/, "");
}

/** Validates the name of a requester. A header loses spaces at its ends. */
export function checkRequestedBy(requestedBy: string | undefined): void {
  check(
    requestedBy === undefined || (typeof requestedBy === "string" && /^[!-~]([ -~]{0,253}[!-~])?$/.test(requestedBy)),
    `requestedBy must have 1 to 255 visible ASCII characters, and no space at its ends, not "${requestedBy}".`,
  );
}

/** The used part of Node's API, which other runtimes may lack. */
interface MaybeNode {
  process?: { env?: Record<string, string | undefined> };
}

/** An option, by default an environment variable. */
function given<T>(name: string, variable: string, option: T | string | undefined): T | string {
  let value = option;
  try {
    if (value === undefined) value = (globalThis as MaybeNode).process?.env?.[variable] || undefined;
  } catch {
    // Deno throws if the program may not read its environment.
  }
  check(value !== undefined, `${name} must be given, or the environment variable ${variable}.`);
  return value;
}

/** Validates the limits of a call before anything is sent. */
export function checkLimits(timeoutMs: number, maxResponseBytes: number, maxRetries: number): void {
  for (const [name, limit] of Object.entries({ timeoutMs, maxResponseBytes })) {
    check(limit > 0, `${name} must be above 0, not ${limit}.`);
  }
  checkCount("maxRetries", maxRetries);
}

/** Validates the body of a call. */
export function checkRequest(body: unknown): void {
  check(
    typeof body === "object" && body !== null,
    `The request must be an object such as { project_id: "demo" }, not of type ${typeof body}.`,
  );
}

/** Whether this is a page or one of its workers. Server runtimes have neither a document nor `importScripts`. */
function isBrowser(): boolean {
  return "document" in globalThis || "importScripts" in globalThis;
}

/** Validates a whole number. */
export function checkCount(name: string, value: unknown, range?: readonly [min: number, max: number]): void {
  const [min = 0, max = value] = range ?? [];
  check(
    Number.isInteger(value) && Number(value) >= min && Number(value) <= Number(max),
    `${name} must be a count${range ? ` from ${range.join(" to ")}` : ""}, not ${value}.`,
  );
}

/** Throws a usage error unless a condition holds. */
export function check(holds: unknown, message: string): asserts holds {
  if (!holds) throw new MediaUsageError(message);
}
