// Retries, redaction and transport are internal on purpose: they may change at any time.
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
export type {
  AuditEntry,
  AuditLog,
  CheckAccessTokenRequest,
  CheckedAdmission,
  CheckedToken,
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
  ListAuditLogRequest,
  ListDeliveriesRequest,
  ListEventLogsRequest,
  ListLiveChannelsRequest,
  ListRevocationsRequest,
  ListWebhookEndpointsRequest,
  LiveChannel,
  LiveChannels,
  LiveConnection,
  LogCount,
  LogCountGroup,
  LogCountPeriod,
  LogCounts,
  Percentiles,
  ResendDeliveriesRequest,
  ResentDeliveries,
  RevokeAccessTokenRequest,
  RevokedTokens,
  SigningKey,
  SigningKeys,
  TokenRevocation,
  TokenRevocations,
  WebhookEndpoint,
  WebhookEndpoints,
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
export type { AuditApi } from "./manage/audit.js";
export type { DeliveriesApi, EndpointsApi } from "./manage/deliveries.js";
export type { Disconnect, DisconnectRequest } from "./manage/disconnect.js";
export type { ListPages } from "./manage/pages.js";
export type { TokensApi } from "./manage/tokens.js";
export type { CountLogsRequest, ListLogsRequest, LogEntryOf, LogKind, LogWhere } from "./operations.js";
export type { CallOptions, Fetch, HookContext, Logger, MediaClientOptions, OutgoingRequest } from "./options.js";
export type { LogPage, LogWalk } from "./search.js";
export { type Duration, expiresIn, type ParsedTimestamp, parseTimestamp, timeKey } from "./time.js";
export type { MediaPromise } from "./transport.js";
export { matches } from "./where.js";
