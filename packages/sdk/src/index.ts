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
export type { FollowAnswer, Followed, FollowOptions } from "./follow.js";
export type {
  EventLogEntry,
  EventLogWhere,
  EventReason,
  ListEventLogsRequest,
  ListLiveChannelsRequest,
  LiveChannel,
  LiveChannels,
  LiveConnection,
  LogCount,
  LogCountGroup,
  LogCountPeriod,
  LogCounts,
  Percentiles,
} from "./generated/extensions.js";
export type {
  AccessToken,
  ApiLogEntry,
  ApiLogWhere,
  ConnectionLogEntry,
  ConnectionLogWhere,
  CreateAccessTokenRequest,
  ListApiLogsRequest,
  ListConnectionLogsRequest,
  ListMediaApiLogsRequest,
  ListSessionLogsRequest,
  ListWebhookLogsRequest,
  MediaApiLogEntry,
  MediaApiLogWhere,
  NumberTest,
  Problem,
  ProblemError,
  paths,
  SessionLogEntry,
  SessionLogWhere,
  TextTest,
  TimeTest,
  WebhookLogEntry,
  WebhookLogWhere,
} from "./generated/media.js";
export type { CountLogsRequest, ListLogsRequest, LogEntryOf, LogKind, LogWhere } from "./operations.js";
export type { CallOptions, Fetch, HookContext, Logger, MediaClientOptions, OutgoingRequest } from "./options.js";
export type { LogPage, LogWalk } from "./search.js";
export { type Duration, expiresIn, type ParsedTimestamp, parseTimestamp } from "./time.js";
export type { Trace, TraceCandidate, TraceLine, TraceRequest, TraceSubject } from "./trace/trace.js";
export type { MediaPromise } from "./transport.js";
export { matches } from "./where.js";
export type { Why, WhyCause, WhyCounts, WhyRequest, WhyShare } from "./why/why.js";
