// What is left out on purpose: how texts are escaped and tables are written, which is free to change.
export { formatLogDetail } from "./format-log-detail.js";
export { formatLogs, type MarkdownLogsOptions } from "./format-logs.js";
export { formatSummary, type MarkdownSummaryOptions } from "./format-summary.js";
