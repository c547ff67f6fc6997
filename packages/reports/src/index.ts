export { type AskDigestOptions, askDigest, type Digest, type DigestDay, type DigestLog } from "./digest.js";
export { type Amount, amountOf, countEntries, countFound, type ListingFigures, wholeOf } from "./listing.js";
export type { LogsClient } from "./log-reader.js";
export type { TimeRange } from "./range.js";
export { type CountQuestion, ifCounted, type ListAnswer, type ListQuestion, type LogService } from "./service.js";
export {
  type AskStatusOptions,
  askStatus,
  type LogStatus,
  type LogStatusOptions,
  logStatus,
  type RefusedClients,
} from "./status.js";
export { type AskSummaryOptions, askSummary } from "./summary/ask-summary.js";
export { type SummarizeOptions, summarize } from "./summary/summarize.js";
export type { Bucket, Group, GroupField, Groups, Period, Spread, Summary, Tally } from "./summary/summary.js";
export type { TraceLine } from "./trace/lines.js";
export type { TraceCandidate, TraceSubject } from "./trace/subject.js";
export { askTrace, type Trace, type TraceRequest } from "./trace/trace.js";
export {
  askWhy,
  type Why,
  type WhyCause,
  type WhyCounts,
  type WhyRequest,
  type WhyShare,
} from "./why/why.js";
