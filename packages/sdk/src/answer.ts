import { apiErrorClass, type MediaApiError, MediaResponseError } from "./errors.js";
import type { Problem } from "./generated/media.js";
import type { Redact } from "./redact.js";
import { parseRetryAfter } from "./retry.js";

/** An answer with what came around it. */
export interface MediaResponse<T> {
  /** What the call alone would have given. */
  data: T;
  /** The HTTP status. */
  status: number;
  /** The headers of the answer. */
  headers: Headers;
  /** The id of the request in the service's own logs. */
  requestId: string | undefined;
}

/** Reads a 2xx answer. `what` begins each message: method, address, status and request id. */
export async function readData<T>(
  response: Response,
  isData: (body: unknown) => body is T,
  what: string,
  requestId: string | undefined,
  redact: Redact,
): Promise<MediaResponse<T>> {
  const { status, headers } = response;
  const text = await response.text();
  // The messages show nothing of the body: it may hold a token.
  const refuse = (why: string): Error =>
    new MediaResponseError(redact(`${what}, but with ${why}`), { status, requestId });

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
  if (!isData(data)) throw refuse("other JSON. Is baseUrl right?");
  return { data, status, headers, requestId };
}

/** Turns a failing answer into the error for its status. */
export function toApiError(
  { status, headers }: Response,
  body: unknown,
  what: string,
  requestId: string | undefined,
  redact: Redact,
): MediaApiError {
  const problem: Problem = {
    type: "about:blank",
    title: `HTTP ${status}`,
    status,
    detail: "no reason given",
    request_id: "",
    // Proxies send HTML, which is no problem object.
    ...(typeof body === "object" && JSON.parse(redact(JSON.stringify(body)))),
  };
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), Date.now());
  return new (apiErrorClass(status))(`${what}: ${problem.detail}`, { status, problem, requestId, retryAfterMs });
}
