// How values are shown, and the words for problems and tokens, are internal on purpose: they may change at any time.
export { revokedWords } from "./acts.js";
export { type AskStatusOptions, askStatus } from "./ask-status.js";
export {
  type AskSummaryOptions,
  askSummary,
  type CountQuestion,
  ifCounted,
  type ListAnswer,
  type ListQuestion,
  type LogService,
} from "./ask-summary.js";
export { type AuditAction, actionWords, auditEntryWords } from "./audit.js";
export { type Periods, periodsOf } from "./buckets.js";
export type { ChartOf } from "./chart.js";
export { type Column, type ColumnPlace, columns, type LogTable, type ValueKind } from "./columns.js";
export { type DeliveryOptions, deliveryWords, resendOutcomeWords } from "./deliveries.js";
export { type AskDigestOptions, askDigest, type Digest, type DigestDay, type DigestLog } from "./digest.js";
export { type Found, foundHeading, keptOf, type Sorted } from "./heading.js";
export type { Incident } from "./incident.js";
export { changeWords } from "./incident-changes.js";
export { type IncidentWords, incidentWords } from "./incident-words.js";
export { issuedTokenWords } from "./issued-tokens.js";
export { entryLabel } from "./line.js";
export type { ListingOptions } from "./listing.js";
export type { LiveOptions } from "./live-words.js";
export {
  type LogStatus,
  type LogStatusOptions,
  logStatus,
  type RefusedClients,
  type ServiceStatus,
} from "./log-status.js";
export type { RequesterOptions } from "./phrase.js";
export type { ProblemCode, ProblemOptions } from "./problem.js";
export { type SummarizeOptions, summarize } from "./summarize.js";
export type { Bucket, Group, GroupField, Groups, Period, Spread, Summary, Tally } from "./summary.js";
export { type CountedLog, type SummaryOfOptions, summaryOf } from "./summary-of.js";
export type { SummaryOptions } from "./summary-words.js";
export type { TraceOptions } from "./timeline.js";
export type { TokenClaims } from "./token.js";
export type { TokenUseOptions } from "./token-use.js";
export { type TraceLineOptions, traceLineWords } from "./trace-line.js";
export { formatBytes, formatCount, formatDuration } from "./values/numbers.js";
export { type ReasonDetails, reasonWords } from "./values/reason.js";
export { formatStatus, isFailure, splitChannel, type Tone } from "./values/show.js";
export { formatAgo, type TimeOptions } from "./values/time.js";
export { type WhyOptions, whyCauseWords } from "./why-words.js";
