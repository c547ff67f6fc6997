// How values are shown, and the words for problems and tokens, are internal on purpose: they may change at any time.
export { revokedWords } from "./acts.js";
export { type AuditAction, actionWords, auditEntryWords } from "./audit.js";
export type { ChartOf } from "./chart.js";
export { deliveryWords, resendOutcomeWords } from "./deliveries.js";
export { changeWords, type Incident, type IncidentWords, incidentWords } from "./incident.js";
export { issuedTokenWords } from "./issued.js";
export type { ListingOptions } from "./lists.js";
export type { LiveOptions } from "./live.js";
export { type Asked, entryLabel, listingHeading } from "./logs.js";
export type { ProblemCode, ProblemOptions } from "./problem.js";
export type { ServiceStatus } from "./status.js";
export type { SummaryOptions } from "./summary.js";
export type { TokenClaims, TokenUseOptions } from "./token.js";
export { type TraceLineOptions, type TraceOptions, traceLineWords } from "./trace.js";
export type { AnswerOptions, RequesterOptions } from "./values/answer.js";
export { formatStatus, type ReasonDetails, reasonWords, splitChannel, type Tone } from "./values/show.js";
export { formatAgo, formatBytes, formatCount, formatDuration, type TimeOptions } from "./values/words.js";
export { whyCauseWords } from "./why.js";
