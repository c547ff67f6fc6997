// How values are shown, and the words for problems and tokens, are internal on purpose: they may change at any time.

export type { Incident } from "./incident/words.js";
export { changeWords, type IncidentWords, incidentWords } from "./incident/words.js";
export { type AuditAction, actionWords, auditEntryWords } from "./lists/audit.js";
export type { ListingOptions, RequesterOptions } from "./lists/list.js";
export { issuedTokenWords, revokedWords } from "./lists/tokens.js";
export { deliveryWords, resendOutcomeWords } from "./lists/webhooks.js";
export type { LiveOptions } from "./live/words.js";
export { entryLabel } from "./logs/columns.js";
export { type Asked, listingHeading } from "./logs/heading.js";
export type { ProblemCode, ProblemOptions } from "./problem/words.js";
export type { ServiceStatus } from "./status/words.js";
export type { ChartOf, SummaryOptions } from "./summary/words.js";
export type { TokenClaims, TokenUseOptions } from "./token/words.js";
export type { TraceOptions } from "./trace/timeline.js";
export { type TraceLineOptions, traceLineWords } from "./trace/timeline.js";
export type { AnswerOptions } from "./values/answer.js";
export { formatBytes, formatCount, formatDuration } from "./values/numbers.js";
export { type ReasonDetails, reasonWords } from "./values/reason.js";
export { formatStatus, splitChannel, type Tone } from "./values/show.js";
export { formatAgo, type TimeOptions } from "./values/time.js";
export { whyCauseWords } from "./why/words.js";
