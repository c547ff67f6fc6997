export { type AskSummaryOptions, askSummary } from "./ask-summary.js";
export { type AskDigestOptions, askDigest, type Digest, type DigestDay, type DigestLog } from "./digest.js";
export type { LogsClient, TimeRange } from "./log-reader.js";
export {
  type Amount,
  amountOf,
  type CountQuestion,
  countEntries,
  countFound,
  ifCounted,
  type ListAnswer,
  type ListingFigures,
  type ListQuestion,
  type LogService,
  wholeOf,
} from "./service.js";
export {
  type AskStatusOptions,
  askStatus,
  type LogStatus,
  type LogStatusOptions,
  logStatus,
  type RefusedClients,
} from "./status.js";
export type { Bucket, Group, GroupField, Groups, Period, Spread, Summary, Tally } from "./summary.js";
export { type SummarizeOptions, summarize } from "./summary.js";
export type { TraceCandidate, TraceLine, TraceSubject } from "./trace.js";
export { askTrace, type Trace, type TraceRequest } from "./trace.js";
export {
  askWhy,
  type Why,
  type WhyCause,
  type WhyCounts,
  type WhyRequest,
  type WhyShare,
} from "./why.js";
