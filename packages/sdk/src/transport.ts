import { createRedact, type MediaResponse, readApiError, readData, rootCause } from "./answer.js";
import { MediaConnectionError, MediaError, MediaNotFoundError, MediaTimeoutError, MediaUsageError } from "./errors.js";
import { extensionPaths, type OperationPath } from "./operations.js";
import {
  type CallOptions,
  checkCall,
  checkClientOptions,
  checkRequestedBy,
  defaultHeaders,
  type Fetch,
  type MediaClientOptions,
  type OutgoingRequest,
} from "./options.js";
import { isRetryable, pause, retryDelayMs, startDeadline } from "./retry.js";

// A full response of 1000 entries has some 0.3 MB; this leaves room for much longer entries.
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;

/** For how long a client remembers what its service does not know. */
export const MEMORY_MS = 3_600_000;

/** A promise of the data that also gives access to status, headers and request id. */
export interface MediaPromise<T, R extends MediaResponse<T> = MediaResponse<T>> extends Promise<T> {
  /** @example const { data, requestId } = await client.logs.api().withResponse(); */
  withResponse(): Promise<R>;
}

/** Options of a call, with what this package adds to the caller's. */
export interface SendOptions extends CallOptions {
  /** Whether the call is one of `follow()`. */
  isFollowing?: true;
  /** How long the service may hold the call, which counts beyond the timeout. */
  waitSeconds?: number;
}

/** A call, shared by all of its attempts. */
interface Call<T> {
  /** The URL's query. */
  query: string;
  body: object;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  maxResponseBytes: number;
  /** Whether a body matches the contract. */
  isData(body: unknown): body is T;
}

/** Sends an operation, with retries. */
export type Send = <T>(
  path: OperationPath,
  isData: Call<T>["isData"],
  body: object,
  options: SendOptions,
) => Promise<MediaResponse<T>>;

/** Sends the operations of one client. */
export function createTransport(options: MediaClientOptions): Send {
  const { baseUrl, apiKey } = checkClientOptions(options);
  const { logger, onRequest, onResponse } = options;
  const redact = createRedact(apiKey);
  // Resolved at each call, so that a fetch that is patched later (tests, tracing) is used.
  const fetchOnce: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const headers = defaultHeaders(options, apiKey);

  /** Sends a call once and reads the whole response. Errors of hooks and the caller's abort are left unchanged. */
  async function sendOnce<T>(path: OperationPath, call: Call<T>, attempt: number): Promise<MediaResponse<T>> {
    const { signal, timeoutMs, maxResponseBytes } = call;
    const what = redact(`POST ${baseUrl}${path} (try ${attempt})`);
    const started = Date.now();
    const deadline = startDeadline(timeoutMs, signal);
    let isOnWire = false;
    try {
      const request: OutgoingRequest = {
        url: baseUrl + path + call.query,
        method: "POST",
        headers: toHeaders({ "content-type": "application/json", ...headers }, call.headers),
        body: JSON.stringify(call.body),
        signal: deadline.signal,
      };
      await onRequest?.(request, { path, attempt });
      isOnWire = true;
      const response = await fetchOnce(request.url, request);
      isOnWire = false;
      await onResponse?.(response, { path, attempt });
      if (response.bodyUsed) throw new MediaUsageError("onResponse has read the body. Let it read response.clone().");
      isOnWire = true;
      const requestId = redact(response.headers.get("x-request-id") ?? "") || undefined;
      const answered = `${what} answered ${response.status}${requestId ? ` (request id ${requestId})` : ""}`;
      logger?.debug?.(`${answered} in ${Date.now() - started} ms`);
      const context = { what: answered, requestId, maxResponseBytes, redact };
      if (!response.ok) throw await readApiError(response, context);
      return await readData(response, call.isData, context);
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

  return async (
    path,
    isData,
    body,
    {
      headers: callHeaders = {},
      requestedBy = options.requestedBy,
      signal,
      timeoutMs = options.timeoutMs ?? 30_000,
      maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      maxRetries = options.maxRetries ?? 2,
      isFollowing,
      waitSeconds = 0,
    },
  ) => {
    checkCall(body, timeoutMs, maxResponseBytes, maxRetries);
    checkRequestedBy(requestedBy);
    const requester = requestedBy === undefined ? {} : { "x-requested-by": requestedBy };
    const from = [options.from ?? [], isFollowing ? "follow" : []].flat().join("-");
    const query = from && `?from=${from}`;
    const call = {
      query,
      isData,
      body,
      headers: { ...callHeaders, ...requester },
      signal,
      timeoutMs: timeoutMs + waitSeconds * 1000,
      maxResponseBytes,
    };
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await sendOnce(path, call, attempt);
      } catch (error) {
        if (attempt > maxRetries || !isRetryable(error)) throw error;
        const delay = retryDelayMs(attempt, error, Math.random);
        logger?.warn?.(`${error.message} (next try in ${Math.round(delay)} ms)`);
        await pause(delay, signal);
      }
    }
  };
}

/** Remembers for a while which operations the service lacks, of those that not every service has. */
export function rememberMissing(send: Send, now: () => number): Send {
  const missing = new Map<OperationPath, { error: MediaNotFoundError; until: number }>();
  return async (path, ...call) => {
    const known = missing.get(path);
    if (known && now() < known.until) throw known.error;
    try {
      return await send(path, ...call);
    } catch (error) {
      const isMissing = error instanceof MediaNotFoundError && extensionPaths.has(path);
      if (isMissing) missing.set(path, { error, until: now() + MEMORY_MS });
      throw error;
    }
  };
}

/** Gives access to a whole response, or to its data alone. */
export function toMediaPromise<T, R extends MediaResponse<T>>(
  answer: Promise<R & MediaResponse<T>>,
): MediaPromise<T, R> {
  const data = answer.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller handles a failure of the whole response; the promise of the data must not report it again.
      data.catch(() => {});
      return answer;
    },
  });
}

/** Merges headers; later ones take precedence, in any case of their names. */
function toHeaders(...sets: Record<string, string>[]): Headers {
  const headers = new Headers();
  for (const set of sets) for (const [name, value] of Object.entries(set)) headers.set(name, value);
  return headers;
}
