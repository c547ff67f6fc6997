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
  maxResponseBytes: number,
  what: string,
  requestId: string | undefined,
  redact: Redact,
): Promise<MediaResponse<T>> {
  const { status, headers } = response;
  // The messages show nothing of the body: it may hold a token.
  const refuse = (why: string): Error => new MediaResponseError(redact(`${what}, but ${why}`), { status, requestId });
  const text = await readText(response, maxResponseBytes);
  if (text === undefined) {
    throw refuse(`its body is larger than ${maxResponseBytes} bytes. If it should be, raise maxResponseBytes.`);
  }

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
  return { data, status, headers, requestId };
}

// Problems are small. What is larger is no problem of the service, and the status alone says what it is.
const MAX_PROBLEM_BYTES = 2 ** 20;

/** Turns a failing answer into the error for its status. */
export async function readApiError(
  response: Response,
  maxResponseBytes: number,
  what: string,
  requestId: string | undefined,
  redact: Redact,
): Promise<MediaApiError> {
  const { status, headers } = response;
  const text = await readText(response, Math.min(maxResponseBytes, MAX_PROBLEM_BYTES));
  const problem: Problem = {
    type: "about:blank",
    title: `HTTP ${status}`,
    status,
    detail: "no reason given",
    request_id: "",
    ...membersOf(text ?? "", redact),
  };
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), Date.now());
  return new (apiErrorClass(status))(`${what}: ${problem.detail}`, { status, problem, requestId, retryAfterMs });
}

/** The members of a JSON object; none of a text that is no JSON object, such as a proxy's HTML. */
function membersOf(text: string, redact: Redact): object {
  try {
    // Redacted as it is written anew, in which no letter of a secret is escaped.
    const body: unknown = JSON.parse(redact(JSON.stringify(JSON.parse(text))));
    return typeof body === "object" && !Array.isArray(body) ? { ...body } : {};
  } catch {
    return {};
  }
}

/**
 * Reads a body as text. Counts its bytes after decompression and gives undefined as soon as there are more than
 * `maxBytes`, so that a small gzip cannot fill the memory.
 */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const { body } = response;
  // Some replacements for fetch have no stream, or one of their own kind.
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
      // Not awaited: a clone of the response may keep the stream open. How the cancellation ends changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
