// The writing of single cells is internal on purpose.
export { type CsvLogsOptions, formatLogs, undoFormulaGuard } from "./format-logs.js";
