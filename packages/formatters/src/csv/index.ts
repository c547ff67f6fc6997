export { formatAudit, formatDeliveries, formatEndpoints, formatTokens } from "./format-listing.js";
// The writing of single cells is internal on purpose.
export { type CsvLogsOptions, formatHeader, formatLogs, formatRows, undoFormulaGuard } from "./format-logs.js";
export { formatTrace } from "./format-trace.js";
