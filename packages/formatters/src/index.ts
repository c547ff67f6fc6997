// How values are shown, and the words for problems and tokens, are internal on purpose: they may change at any time.
export type { ChartOf } from "./chart.js";
export { type Column, type ColumnPlace, columns, type LogTable, type ValueKind } from "./columns.js";
export { entryLabel } from "./line.js";
export { type LogStatus, type LogStatusOptions, logStatus, type ServiceStatus } from "./log-status.js";
export type { ProblemCode, ProblemOptions } from "./problem.js";
export type { Bucket, Spread } from "./summary.js";
export { type SummarizeOptions, type Summary, summarize, type Tally } from "./summary.js";
export type { TokenClaims } from "./token.js";
export { formatBytes, formatCount, formatDuration } from "./values/numbers.js";
export { formatStatus, isFailure, splitChannel, type Tone } from "./values/show.js";
export { formatAgo, type TimeOptions } from "./values/time.js";
