import { MediaUsageError } from "./errors.js";
import type { OperationPath } from "./operations.js";

/** What can be set for the client, and again for each call. */
export interface CallOptions {
  /**
   * How often a call is sent again after a connection failure, a timeout, 408, 429 or 5xx.
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * How long one try may take, from sending to the last byte of the answer; `Infinity` for no limit.
   * @default 30_000
   */
  timeoutMs?: number | undefined;
  /**
   * The largest answer to read, in bytes after decompression; a larger one is a `MediaResponseError`. `Infinity` for
   * no limit.
   * @default 64 * 2 ** 20
   */
  maxResponseBytes?: number | undefined;
  /** Headers to send along. A call's own are added to the client's and win over them. */
  headers?: Record<string, string> | undefined;
  /** Ends the whole call, retries and waits included; what was given to `abort()` is thrown as it is. */
  signal?: AbortSignal | undefined;
}

/** Where the client writes what it does; `console` fits, and so do most loggers. Secrets are taken out. */
export interface Logger {
  /** A try was answered. */
  debug?(message: string): void;
  /** A try failed and is repeated. */
  warn?(message: string): void;
}

/** Says to a hook which try of which operation it sees. */
export interface HookContext {
  /** The operation, for example `/orgs/list-webhook-logs`. */
  path: OperationPath;
  /** 1 for the first try. */
  attempt: number;
}

/** What is about to be sent. */
export interface OutgoingRequest extends RequestInit {
  url: string;
  /** May still be changed. */
  headers: Headers;
}

/** Whatever sends requests as `fetch` does; `globalThis.fetch` fits. */
export type Fetch = (input: string | Request, init?: RequestInit) => Promise<Response>;

/** Options of {@link createMediaClient}. */
export interface MediaClientOptions extends Omit<CallOptions, "signal"> {
  /**
   * Where the service runs, for example `http://127.0.0.1:8080`.
   * @default the environment variable MEDIA_BASE_URL
   */
  baseUrl?: string | URL | undefined;
  /**
   * The project's API key. Keep it on a server: whoever holds it can read all logs and create tokens.
   * @default the environment variable MEDIA_API_KEY
   */
  apiKey?: string | undefined;
  /**
   * Sends the requests: for proxies, tests and tracing. It must honour `init.signal`.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined;
  /**
   * Is told what the client does.
   * @default silent
   */
  logger?: Logger | undefined;
  /** Called before each try; may set its headers. What it throws ends the call. */
  onRequest?: ((request: OutgoingRequest, context: HookContext) => void | Promise<void>) | undefined;
  /** Called after each answer, before its body is read; `clone()` the response to read it here. What it throws ends the call. */
  onResponse?: ((response: Response, context: HookContext) => void | Promise<void>) | undefined;
  /**
   * Allows an API key in a browser, where every visitor can read it.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Refuses what cannot work, before anything is sent. Neither the key nor the address is repeated: both may be secret. */
export function checkClientOptions(options: MediaClientOptions): { baseUrl: string; apiKey: string } {
  const { apiKey = fromEnvironment("MEDIA_API_KEY"), baseUrl = fromEnvironment("MEDIA_BASE_URL") } = options;
  check(apiKey !== undefined, "apiKey must be given, or the environment variable MEDIA_API_KEY.");
  check(baseUrl !== undefined, "baseUrl must be given, or the environment variable MEDIA_BASE_URL.");
  // The characters that RFC 6750 allows.
  check(
    typeof apiKey === "string" && /^[\w.~+/-]+=*$/.test(apiKey),
    "apiKey must be given, without spaces or line breaks.",
  );
  check(
    options.dangerouslyAllowBrowser || !isBrowser(),
    "In a browser every visitor can read the apiKey. Call from a server, or set dangerouslyAllowBrowser.",
  );
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  check(
    url && /^https?:$/.test(url.protocol) && !(url.username + url.password + url.search + url.hash),
    "baseUrl must be like https://media.example, without user, query or hash.",
  );
  return { baseUrl: url.href.replace(/\/+$/, ""), apiKey };
}

/** What is used of Node, and of the runtimes that have its environment. */
interface MaybeNode {
  process?: { env?: Record<string, string | undefined> };
}

function fromEnvironment(name: string): string | undefined {
  try {
    return (globalThis as MaybeNode).process?.env?.[name] || undefined;
  } catch {
    // Deno throws where the program may not read its environment.
    return undefined;
  }
}

/** Refuses a call that cannot work, before anything is sent. */
export function checkCall(
  { body, timeoutMs, maxResponseBytes }: { body: object; timeoutMs: number; maxResponseBytes: number },
  maxRetries: number,
): void {
  check(
    typeof body === "object" && body !== null,
    `The request must be an object such as { project_id: "demo" }, not of type ${typeof body}.`,
  );
  check(timeoutMs > 0, `timeoutMs must be above 0, not ${timeoutMs}.`);
  check(maxResponseBytes > 0, `maxResponseBytes must be above 0, not ${maxResponseBytes}.`);
  check(Number.isInteger(maxRetries) && maxRetries >= 0, `maxRetries must be a count, not ${maxRetries}.`);
}

/** Refuses what cannot be followed by: a timer takes what is no number for no wait at all. */
export function checkFollowing(intervalMs: number, backlog: number): void {
  check(intervalMs >= 0, `intervalMs must be a number from 0 on, not ${intervalMs}.`);
  check(Number.isInteger(backlog) && backlog >= 0, `backlog must be a count, not ${backlog}.`);
}

/** A page, or a worker of one. Server runtimes have neither a document nor `importScripts`. */
export function isBrowser(): boolean {
  return "document" in globalThis || "importScripts" in globalThis;
}

function check(holds: unknown, message: string): asserts holds {
  if (!holds) throw new MediaUsageError(message);
}
