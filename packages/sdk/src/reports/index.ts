export { trace } from "../trace/create-trace.js";
export type { Trace, TraceCandidate, TraceLine, TraceRequest, TraceSubject } from "../trace/trace.js";
export { why } from "../why/create-why.js";
export type { Why, WhyCause, WhyCounts, WhyRequest, WhyShare } from "../why/why.js";
