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

/** Reads a 2xx answer; `what` is the beginning of each message: method, address and status. */
export async function readData<T>(
  response: Response,
  isData: (body: unknown) => body is T,
  what: string,
  redact: Redact,
): Promise<MediaResponse<T>> {
  const { headers } = response;
  const text = await response.text();
  const details = detailsOf(response, redact);
  // The messages show nothing of the body: it may hold a token.
  const refuse = (why: string): Error =>
    new MediaResponseError(redact(`${what}, but ${why}${named(details)}`), details);

  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw refuse(
      /^\s*[[{]/.test(text)
        ? `with JSON cut off after ${text.length} characters`
        : `with ${text ? headers.get("content-type") : "nothing"}, not JSON. Is baseUrl right?`,
    );
  }
  if (!isData(data)) throw refuse("with other JSON. Is baseUrl right?");
  return { data, headers, ...details };
}

/** Turns a failing answer into the error for its status. */
export function toApiError(response: Response, body: unknown, what: string, redact: Redact): MediaApiError {
  const details = detailsOf(response, redact);
  const { status } = details;
  const problem: Problem = {
    type: "about:blank",
    title: `HTTP ${status}`,
    status,
    detail: "no reason given",
    request_id: "",
    // Proxies send HTML, which is no problem object.
    ...(typeof body === "object" && JSON.parse(redact(JSON.stringify(body)))),
  };
  return new (apiErrorClass(status))(`${what}: ${problem.detail}${named(details)}`, {
    ...details,
    problem,
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), Date.now()),
  });
}

interface Details {
  status: number;
  requestId: string | undefined;
}

const detailsOf = ({ status, headers }: Response, redact: Redact): Details => {
  const requestId = headers.get("x-request-id");
  return { status, requestId: requestId ? redact(requestId) : undefined };
};

const named = ({ requestId }: Details): string => (requestId ? ` (request id ${requestId})` : "");
