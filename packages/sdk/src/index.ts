// Retries, redaction and transport are internal on purpose: they may change at any time.

// All of the contract.
export type * from "@media-ops/contract";
export { connectMedia, createToken, type MediaConnection, type MediaPromise } from "./api.js";
export { createMediaClient, type ListLogs, type LogsApi, type MediaClient } from "./client.js";
export {
  MediaApiError,
  type MediaApiErrorCode,
  MediaBadRequestError,
  MediaConflictError,
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
export type { FollowAnswer, Followed, FollowOptions } from "./follow.js";
export type { MediaResponse, RawClient } from "./http.js";
export type {
  AuditApi,
  DeliveriesApi,
  Disconnect,
  DisconnectRequest,
  EndpointsApi,
  ListPages,
  TokensApi,
} from "./manage.js";
export type { CallOptions, Fetch, HookContext, Logger, MediaClientOptions, OutgoingRequest } from "./options.js";
export {
  type CountLogsRequest,
  type ListLogsRequest,
  type LogPage,
  type LogWalk,
  type LogWhere,
  listLogs,
  type SearchOptions,
  type SharedListings,
} from "./search.js";
export { type Duration, expiresIn, type ParsedTimestamp, parseTimestamp, timeKey } from "./time.js";
export { matches } from "./where.js";
