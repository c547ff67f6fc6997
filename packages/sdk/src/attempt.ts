import type { Client } from "openapi-fetch";
import { type MediaResponse, readData, toApiError } from "./answer.js";
import { startDeadline } from "./deadline.js";
import { MediaConnectionError, MediaError, MediaTimeoutError } from "./errors.js";
import type { paths } from "./generated/media.js";
import type { OperationPath } from "./operations.js";
import type { HookContext, MediaClientOptions } from "./options.js";
import { type Redact, rootCause } from "./redact.js";

/** What a call needs to know of its client. */
export interface Wire extends Pick<MediaClientOptions, "logger" | "onRequest" | "onResponse"> {
  baseUrl: string;
  raw: Client<paths>;
  redact: Redact;
  send(request: Request): Promise<Response>;
}

/** One call, as all its tries see it. */
export interface Call<T> {
  path: OperationPath;
  body: object;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  /** Says whether an answer is what the contract promises. */
  isData(body: unknown): body is T;
}

/** Sends a call once and reads its answer to the end. What a hook throws, and the caller's abort, are left as they are. */
export async function attemptCall<T>(
  { baseUrl, raw, redact, send, logger, onRequest, onResponse }: Wire,
  { path, body, headers, signal, timeoutMs, isData }: Call<T>,
  attempt: number,
): Promise<MediaResponse<T>> {
  const context: HookContext = { path, attempt };
  const what = `POST ${baseUrl}${path} (try ${attempt})`;
  const started = Date.now();
  const deadline = startDeadline(timeoutMs, signal);
  // The request while it is under way. To hold it matters: in Node, the body of a request that was garbage collected
  // no longer ends on abort.
  let underWay: Request | undefined;

  try {
    const { error, response } = await raw.POST(path, {
      body,
      headers,
      signal: deadline.signal,
      parseAs: "stream",
      fetch: async (request: Request) => {
        await onRequest?.(request, context);
        underWay = request;
        const response = await send(request);
        underWay = undefined;
        await onResponse?.(response, context);
        underWay = request;
        return response;
      },
    });
    const answered = `${what} answered ${response.status}`;
    logger?.debug?.(redact(`${answered} in ${Date.now() - started} ms`));
    if (!response.ok) throw toApiError(response, error, answered, redact);
    return await readData(response, isData, answered, redact);
  } catch (error) {
    signal?.throwIfAborted();
    if (!underWay || error instanceof MediaError) throw error;
    if (deadline.signal.aborted) throw new MediaTimeoutError(`${what} took longer than ${timeoutMs} ms.`);
    const cause = rootCause(error, redact);
    throw new MediaConnectionError(`${what} failed: ${cause.message}. Is the service running there?`, { cause });
  } finally {
    deadline.clear();
  }
}
