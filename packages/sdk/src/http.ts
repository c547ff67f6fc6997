import type { Problem, paths } from "@media-ops/contract";
import createClient, { type Client } from "openapi-fetch";
import {
  apiErrorClass,
  type MediaApiError,
  MediaConnectionError,
  MediaError,
  MediaResponseError,
  MediaTimeoutError,
  MediaUsageError,
} from "./errors.js";
import {
  type CallOptions,
  checkLimits,
  checkRequestedBy,
  type Fetch,
  type MediaClientOptions,
  type OutgoingRequest,
} from "./options.js";
import { isRetryable, parseRetryAfter, pause, retryDelayMs, startDeadline } from "./retry.js";

/** Data with the status and headers of its response. */
export interface MediaResponse<T> {
  /** The result of the call. */
  data: T;
  /** The HTTP status. */
  status: number;
  /** The response headers. */
  headers: Headers;
  /** The id of the request in the service's logs. */
  requestId: string | undefined;
}

/** Options of a call, with what this package adds to the caller's. */
export interface SendOptions extends CallOptions {
  /** Whether the call is one of `follow()`. */
  isFollowing?: true;
  /** How long the service may hold the call, which counts beyond the timeout. */
  waitSeconds?: number;
}

/** Every operation of a service, as an openapi-fetch client that sends through this package's retries and limits. */
export type RawClient = Client<Omit<paths, `/intake/${string}`>>;

/** What openapi-fetch returns. */
export interface RawAnswer {
  data?: unknown;
  response: Response;
}

interface HttpOptions extends Omit<MediaClientOptions, "baseUrl"> {
  /** Without a trailing slash. */
  baseUrl: string;
  headers: Record<string, string>;
  redact: (text: string) => string;
}

// A full response of 1000 entries has some 0.3 MB; this leaves room for much longer entries.
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;
// Problems are small. A larger body is not from the service; then the error only has the status.
const MAX_PROBLEM_BYTES = 2 ** 20;

/** What openapi-fetch makes: each fetch would copy a real `Request`, whose body can only be sent once. */
class PlainRequest {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** Sends the requests of one client: openapi-fetch with a resilient fetch below it, and errors above it. */
export function createHttp(settings: HttpOptions) {
  const { baseUrl, headers, redact, logger, onRequest, onResponse } = settings;
  // Resolved at each call, so that a fetch that is patched later (tests, tracing) is used.
  const fetchOnce: Fetch = settings.fetch ?? ((input, init) => fetch(input, init));
  const raw: RawClient = createClient({
    baseUrl,
    headers,
    // It is only constructed, and passed on to the fetch below.
    Request: PlainRequest as unknown as typeof Request,
    fetch: async (request) => exchange(request, toCall({ signal: request.signal })),
  });

  /** A call, shared by its attempts. */
  function toCall({
    signal,
    timeoutMs = settings.timeoutMs ?? 30_000,
    maxResponseBytes = settings.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    maxRetries = settings.maxRetries ?? 2,
    isFollowing,
    waitSeconds = 0,
  }: SendOptions) {
    checkLimits(timeoutMs, maxResponseBytes, maxRetries);
    return {
      signal,
      maxRetries,
      maxResponseBytes,
      timeoutMs: timeoutMs + waitSeconds * 1000,
      from: [settings.from ?? [], isFollowing ? "follow" : []].flat().join("-"),
      /** What was answered: method, URL, attempt, status and request id. Messages start with it. */
      answered: "",
      requestId: undefined as string | undefined,
    };
  }
  type Call = ReturnType<typeof toCall>;

  /** Sends a request until it is answered, within the call's limits. A failing answer is returned, not thrown. */
  async function exchange(request: OutgoingRequest, call: Call): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      call.signal?.throwIfAborted();
      let response: Response | undefined;
      let failure: unknown;
      try {
        response = await sendOnce(request, call, attempt);
        if (response.ok) return response;
        failure = await toApiError(response, call);
      } catch (error) {
        failure = error;
      }
      if (attempt > call.maxRetries || !isRetryable(failure)) {
        if (response) return response;
        throw failure;
      }
      const delay = retryDelayMs(attempt, failure, Math.random);
      logger?.warn?.(`${failure.message} (next try in ${Math.round(delay)} ms)`);
      await pause(delay, call.signal);
    }
  }

  /** Sends a request once and reads the whole response. Errors of hooks and the caller's abort are left unchanged. */
  async function sendOnce(request: OutgoingRequest, call: Call, attempt: number): Promise<Response> {
    const { signal, timeoutMs, maxResponseBytes, from } = call;
    const what = redact(`${request.method} ${request.url} (try ${attempt})`);
    const context = { path: request.url.slice(baseUrl.length).replace(/\?.*/, ""), attempt };
    const started = Date.now();
    const deadline = startDeadline(timeoutMs, signal);
    let isOnWire = false;
    try {
      const url = from ? `${request.url}${request.url.includes("?") ? "&" : "?"}from=${from}` : request.url;
      const outgoing = { ...request, url, headers: request.headers, signal: deadline.signal };
      if (onRequest) outgoing.headers = new Headers(outgoing.headers);
      await onRequest?.(outgoing, context);
      isOnWire = true;
      const response = await fetchOnce(outgoing.url, outgoing);
      isOnWire = false;
      await onResponse?.(response, context);
      if (response.bodyUsed) throw new MediaUsageError("onResponse has read the body. Let it read response.clone().");
      isOnWire = true;
      const { ok, status } = response;
      call.requestId = redact(response.headers.get("x-request-id") ?? "") || undefined;
      call.answered = `${what} answered ${status}${call.requestId ? ` (request id ${call.requestId})` : ""}`;
      logger?.debug?.(`${call.answered} in ${Date.now() - started} ms`);
      const text = await readText(response, ok ? maxResponseBytes : Math.min(maxResponseBytes, MAX_PROBLEM_BYTES));
      if (ok && text === undefined) {
        const limit = `its body is larger than ${maxResponseBytes} bytes. If it should be, raise maxResponseBytes.`;
        throw new MediaResponseError(`${call.answered}, but ${limit}`, { status, requestId: call.requestId });
      }
      // The response itself, because a copy of a long body takes as long as reading it.
      return Object.assign(response, { text: async () => text ?? "" });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOnWire || error instanceof MediaError) throw error;
      if (deadline.signal.aborted) throw new MediaTimeoutError(`${what} took longer than ${timeoutMs} ms.`);
      const cause = rootCause(error, redact);
      throw new MediaConnectionError(`${what} failed. Is the service running there? ${cause.message}`, { cause });
    } finally {
      deadline.clear();
    }
  }

  /** The error for a failing response. */
  async function toApiError(response: Response, { answered, requestId }: Call): Promise<MediaApiError> {
    const { status } = response;
    const problem: Problem = {
      type: "about:blank",
      title: `HTTP ${status}`,
      status,
      detail: "no reason given",
      request_id: "",
      ...membersOf(await response.text(), redact),
    };
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), Date.now());
    return new (apiErrorClass(status))(`${answered}: ${problem.detail}`, { status, problem, requestId, retryAfterMs });
  }

  return {
    raw,
    /** Makes a call, and checks that its answer has the parts of an example. */
    async send<T>(
      sendBy: (init: Record<string, unknown>) => Promise<RawAnswer>,
      shape: Shape<T>,
      options: SendOptions = {},
    ): Promise<MediaResponse<T>> {
      const call = toCall(options);
      const { requestedBy = settings.requestedBy } = options;
      checkRequestedBy(requestedBy);
      const { data: body, response } = await sendBy({
        headers: { ...options.headers, ...(requestedBy !== undefined && { "x-requested-by": requestedBy }) },
        parseAs: "text",
        fetch: (outgoing: OutgoingRequest) => exchange(outgoing, call),
      });
      if (!response.ok) throw await toApiError(response, call);
      const { status, headers } = response;
      const { requestId } = call;
      const text = typeof body === "string" ? body : "";
      // Messages show nothing of the body, which may contain a token.
      const refuse = (why: string): Error =>
        new MediaResponseError(redact(`${call.answered}, but with ${why}`), { status, requestId });
      let data: unknown;
      try {
        data = JSON.parse(text);
      } catch {
        throw refuse(
          /^\s*[[{]/.test(text)
            ? `JSON cut off after ${text.length} characters`
            : `${text ? headers.get("content-type") : "nothing"}, not JSON. Is baseUrl right?`,
        );
      }
      if (!hasShape(data, shape)) throw refuse("other JSON. Is baseUrl right?");
      return { data, status, headers, requestId };
    },
  };
}

/**
 * The parts of an answer that this package relies on, by example: texts for texts, and one item for all items of a list.
 * A member "name?" may be missing.
 */
export type Shape<T> = T extends readonly (infer Item)[]
  ? readonly Shape<Item>[]
  : T extends object
    ? { readonly [Member in keyof T & string as Member | `${Member}?`]?: Shape<Exclude<T[Member], undefined>> }
    : T;

/** Whether a part of an answer has the parts of an example. */
function hasShape<T>(part: unknown, shape: Shape<T>): part is T {
  if (Array.isArray(shape)) {
    return Array.isArray(part) && part.every((item) => shape.every((example) => hasShape(item, example)));
  }
  if (typeof shape !== "object") return typeof part === typeof shape;
  if (!isObject(part)) return false;
  const members: Readonly<Record<string, unknown>> = { ...part };
  return Object.entries(shape ?? {}).every(([name, example]) => {
    const value = members[name.replace("?", "")];
    return (value === undefined && name.endsWith("?")) || hasShape(value, example);
  });
}

/** Whether a part of an answer has fields. */
export function isObject(part: unknown): part is object {
  return typeof part === "object" && part !== null && !Array.isArray(part);
}

/** The members of a JSON object; none for any other text, such as a proxy's HTML. */
function membersOf(text: string, redact: (text: string) => string): object {
  try {
    // Redacted after reserialization, which escapes no character of a secret.
    const body: unknown = JSON.parse(redact(JSON.stringify(JSON.parse(text))));
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}

/**
 * Reads a body as text; undefined if it has more than `maxBytes` after decompression, so that a small gzip cannot fill
 * the memory.
 */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const { body } = response;
  // Some fetch implementations have no stream, or one of another kind.
  if (typeof body?.getReader !== "function") {
    const text = await response.text();
    return new TextEncoder().encode(text).length > maxBytes ? undefined : text;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxBytes) {
      // Not awaited: a clone of the response may keep the stream open, and the result does not matter.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * The root cause of a foreign error: fetch itself only says "fetch failed". It is a new error with message and code
 * only, because the foreign one may contain the request with its headers.
 */
function rootCause(error: unknown, redact: (text: string) => string): Error {
  let root = error as Partial<Error & { code: unknown }> | undefined;
  // Limited, because an error may be its own cause.
  for (let depth = 0; root?.cause && depth < 9; depth++) root = root.cause;
  return Object.assign(new Error(redact(root?.message || String(root?.code ?? root))), { code: root?.code });
}
