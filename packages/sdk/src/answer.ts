import type { Problem } from "@media-ops/contract";
import { redactKeys } from "@media-ops/secrets/redact";
import { apiErrorClass, type MediaApiError, MediaResponseError } from "./errors.js";
import { parseRetryAfter } from "./retry.js";

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

/** The context for reading a response. */
interface Answered {
  /** The start of each message: method, URL, status and request id. */
  what: string;
  requestId: string | undefined;
  maxResponseBytes: number;
  redact: Redact;
}

/** Reads a 2xx response. */
export async function readData<T>(
  response: Response,
  isData: (body: unknown) => body is T,
  { what, requestId, maxResponseBytes, redact }: Answered,
): Promise<MediaResponse<T>> {
  const { status, headers } = response;
  // Messages show nothing of the body, which may contain a token.
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

/** Whether a part of an answer has fields. */
export function isObject(part: unknown): part is object {
  return typeof part === "object" && part !== null && !Array.isArray(part);
}

/** The fields of a part of an answer; none if it has none. */
export function fieldsOf(part: unknown): Readonly<Record<string, unknown>> {
  return isObject(part) ? { ...part } : {};
}

/** Whether a part of an answer is a list, and each item passes a test. */
export function isListOf(part: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(part) && part.every(isItem);
}

// Problems are small. A larger body is not from the service; then the error only has the status.
const MAX_PROBLEM_BYTES = 2 ** 20;

/** The error for a failing response. */
export async function readApiError(
  response: Response,
  { what, requestId, maxResponseBytes, redact }: Answered,
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

/** The members of a JSON object; none for any other text, such as a proxy's HTML. */
function membersOf(text: string, redact: Redact): object {
  try {
    // Redacted after reserialization, which escapes no character of a secret.
    const body: unknown = JSON.parse(redact(JSON.stringify(JSON.parse(text))));
    return typeof body === "object" && !Array.isArray(body) ? { ...body } : {};
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

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Redacts the client's own key, and keys and tokens of any project, in errors and log messages. */
export function createRedact(apiKey: string): Redact {
  return (text) => redactKeys(text.replaceAll(apiKey, "[redacted]"));
}

/**
 * The root cause of a foreign error: fetch itself only says "fetch failed". It is a new error with message and code
 * only, because the foreign one may contain the request with its headers.
 */
export function rootCause(error: unknown, redact: Redact): Error {
  let root = error as Partial<Error & { code: unknown }> | undefined;
  // Limited, because an error may be its own cause.
  for (let depth = 0; root?.cause && depth < 9; depth++) root = root.cause;
  return Object.assign(new Error(redact(root?.message || String(root?.code ?? root))), { code: root?.code });
}
