// What is left out on purpose: how single cells are written, which follows from the two below.
export { type CsvLogsOptions, formatLogs } from "./format-logs.js";
export { undoFormulaGuard } from "./formula-guard.js";
