// Retries, redaction and transport are internal on purpose: they may change at any time.

export type {
  AccessToken,
  ApiLogEntry,
  ApiLogWhere,
  AuditEntry,
  AuditLog,
  CheckAccessTokenRequest,
  CheckedAdmission,
  CheckedToken,
  ConnectionLogEntry,
  ConnectionLogWhere,
  CreateAccessTokenRequest,
  Deliveries,
  Delivery,
  DeliveryAttempt,
  EnableWebhookEndpointRequest,
  EventLogEntry,
  EventLogWhere,
  EventReason,
  IssuedToken,
  IssuedTokens,
  ListAccessTokensRequest,
  ListApiLogsRequest,
  ListAuditLogRequest,
  ListConnectionLogsRequest,
  ListDeliveriesRequest,
  ListEventLogsRequest,
  ListLiveChannelsRequest,
  ListMediaApiLogsRequest,
  ListRevocationsRequest,
  ListSessionLogsRequest,
  ListWebhookEndpointsRequest,
  ListWebhookLogsRequest,
  LiveChannel,
  LiveChannels,
  LiveConnection,
  LogCount,
  LogCountGroup,
  LogCountPeriod,
  LogCounts,
  MediaApiLogEntry,
  MediaApiLogWhere,
  NumberTest,
  Percentiles,
  Problem,
  ProblemError,
  paths,
  ResendDeliveriesRequest,
  ResentDeliveries,
  RevokeAccessTokenRequest,
  RevokedTokens,
  SessionLogEntry,
  SessionLogWhere,
  SigningKey,
  SigningKeys,
  TextTest,
  TimeTest,
  TokenRevocation,
  TokenRevocations,
  WebhookEndpoint,
  WebhookEndpoints,
  WebhookLogEntry,
  WebhookLogWhere,
} from "@media-ops/contract";
export type { MediaResponse } from "./answer.js";
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
export type { AuditApi } from "./manage/audit.js";
export type { DeliveriesApi, EndpointsApi } from "./manage/deliveries.js";
export type { Disconnect, DisconnectRequest } from "./manage/disconnect.js";
export type { ListPages } from "./manage/pages.js";
export type { TokensApi } from "./manage/tokens.js";
export type { CountLogsRequest, ListLogsRequest, LogEntryOf, LogKind, LogWhere } from "./operations.js";
export type { CallOptions, Fetch, HookContext, Logger, MediaClientOptions, OutgoingRequest } from "./options.js";
export type { LogPage, LogWalk } from "./search.js";
export { type Duration, expiresIn, type ParsedTimestamp, parseTimestamp } from "./time.js";
export type { Trace, TraceCandidate, TraceLine, TraceRequest, TraceSubject } from "./trace/trace.js";
export type { MediaPromise } from "./transport.js";
export { matches } from "./where.js";
export type { Why, WhyCause, WhyCounts, WhyRequest, WhyShare } from "./why/why.js";
