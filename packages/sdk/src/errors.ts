import type { components, Problem } from "@media-ops/contract";

/** The code of an API error: the contract's name for the failing response, or `Api` for any other. */
export type MediaApiErrorCode =
  | Exclude<keyof components["responses"], "Unexpected" | "BadGateway" | "GatewayTimeout">
  | "Api";

/** The `code` of an error of this package. */
export type MediaErrorCode = MediaApiErrorCode | "Connection" | "Timeout" | "Response" | "Usage";

/** The base class of all errors of this package. */
export abstract class MediaError extends Error {
  /** The kind of error, for `switch`. The error's `name` is `Media<code>Error`. */
  declare readonly code: MediaErrorCode;

  constructor(message: string, details?: object) {
    super(message);
    Object.assign(this, details);
  }
}

/** The service responded with a failing status. */
export class MediaApiError extends MediaError {
  declare readonly code: MediaApiErrorCode;
  /** The HTTP status. */
  declare readonly status: number;
  /** The service's explanation; derived from the status if there is none. */
  declare readonly problem: Problem;
  /** The id of the request in the service's logs. */
  declare readonly requestId: string | undefined;
  /** How long the service requested to wait before the next attempt. */
  declare readonly retryAfterMs: number | undefined;
}

/** 400: the input was invalid. `problem.errors` lists the faults. */
export class MediaBadRequestError extends MediaApiError {
  declare readonly code: "BadRequest";
}

/** 401: the API key is missing, unknown or revoked. */
export class MediaUnauthorizedError extends MediaApiError {
  declare readonly code: "Unauthorized";
}

/** 403: the project or channel does not belong to the API key. */
export class MediaForbiddenError extends MediaApiError {
  declare readonly code: "Forbidden";
}

/** 404: the URL has no such operation; check `baseUrl`. */
export class MediaNotFoundError extends MediaApiError {
  declare readonly code: "NotFound";
}

/** 405: the operation does not support this method. */
export class MediaMethodNotAllowedError extends MediaApiError {
  declare readonly code: "MethodNotAllowed";
}

/** 409: what was revoked before does not permit this; `problem.detail` says how to go on. */
export class MediaConflictError extends MediaApiError {
  declare readonly code: "Conflict";
}

/** 413: the request body was too large. */
export class MediaPayloadTooLargeError extends MediaApiError {
  declare readonly code: "PayloadTooLarge";
}

/** 415: the request body was not accepted as JSON. */
export class MediaUnsupportedMediaTypeError extends MediaApiError {
  declare readonly code: "UnsupportedMediaType";
}

/** 429: too many calls with this key, even after all retries. */
export class MediaTooManyRequestsError extends MediaApiError {
  declare readonly code: "TooManyRequests";
}

/** 503: the service was overloaded or shutting down, even after all retries. */
export class MediaServiceUnavailableError extends MediaApiError {
  declare readonly code: "ServiceUnavailable";
}

/**
 * The service could not be reached, or the connection broke before the response was complete. `cause` has the details.
 */
export class MediaConnectionError extends MediaError {
  declare readonly code: "Connection";
}

/** An attempt took longer than `timeoutMs`. */
export class MediaTimeoutError extends MediaError {
  declare readonly code: "Timeout";
}

/**
 * The service responded with 2xx, but the body is not JSON, is truncated, is larger than `maxResponseBytes`, or does
 * not match the contract.
 */
export class MediaResponseError extends MediaError {
  declare readonly code: "Response";
  /** The HTTP status. */
  declare readonly status: number;
  /** The id of the request in the service's logs. */
  declare readonly requestId: string | undefined;
}

/** This package was used incorrectly; nothing was sent. */
export class MediaUsageError extends MediaError {
  declare readonly code: "Usage";
}

const apiClasses: readonly (readonly [code: MediaApiErrorCode, of: typeof MediaApiError, status?: number])[] = [
  ["BadRequest", MediaBadRequestError, 400],
  ["Unauthorized", MediaUnauthorizedError, 401],
  ["Forbidden", MediaForbiddenError, 403],
  ["NotFound", MediaNotFoundError, 404],
  ["MethodNotAllowed", MediaMethodNotAllowedError, 405],
  ["Conflict", MediaConflictError, 409],
  ["PayloadTooLarge", MediaPayloadTooLargeError, 413],
  ["UnsupportedMediaType", MediaUnsupportedMediaTypeError, 415],
  ["TooManyRequests", MediaTooManyRequestsError, 429],
  ["ServiceUnavailable", MediaServiceUnavailableError, 503],
  ["Api", MediaApiError],
];

const otherClasses: readonly (readonly [code: MediaErrorCode, of: typeof MediaError])[] = [
  ["Connection", MediaConnectionError],
  ["Timeout", MediaTimeoutError],
  ["Response", MediaResponseError],
  ["Usage", MediaUsageError],
];

// On the prototypes, like JavaScript's own errors, so that stack traces start with the right name.
for (const [code, { prototype }] of [...apiClasses, ...otherClasses]) {
  Object.assign(prototype, { code, name: `Media${code}Error` });
}

/** The class for a failing status. */
export function apiErrorClass(status: number): typeof MediaApiError {
  return apiClasses.find(([, , known]) => known === status)?.[1] ?? MediaApiError;
}
