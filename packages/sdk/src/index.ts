// Retries, redaction and transport are internal on purpose: they may change at any time.
export type { MediaResponse } from "./answer.js";
export { createMediaClient, type ListLogs, type LogsApi, type MediaClient, type TokensApi } from "./client.js";
export {
  MediaApiError,
  type MediaApiErrorCode,
  MediaBadRequestError,
  MediaConnectionError,
  MediaError,
  type MediaErrorCode,
  MediaForbiddenError,
  MediaMethodNotAllowedError,
  MediaNotFoundError,
  MediaPayloadTooLargeError,
  MediaResponseError,
  MediaServiceUnavailableError,
  MediaTimeoutError,
  MediaTooManyRequestsError,
  MediaUnauthorizedError,
  MediaUnsupportedMediaTypeError,
  MediaUsageError,
} from "./errors.js";
export type { Followed, FollowOptions } from "./follow.js";
export type { CountLogsRequest, LogCount, LogCountGroup, LogCounts } from "./generated/extensions.js";
export type {
  AccessToken,
  ApiLogEntry,
  ConnectionLogEntry,
  CreateAccessTokenRequest,
  MediaApiLogEntry,
  Problem,
  ProblemError,
  paths,
  SessionLogEntry,
  WebhookLogEntry,
} from "./generated/media.js";
export { isCapped, type ListLogsRequest, type LogEntryOf, type LogKind } from "./operations.js";
export type { CallOptions, Fetch, HookContext, Logger, MediaClientOptions, OutgoingRequest } from "./options.js";
export { type Duration, expiresIn, type ParsedTimestamp, parseTimestamp } from "./time.js";
export type { MediaPromise } from "./transport.js";
