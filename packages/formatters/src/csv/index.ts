// What is left out on purpose: how single cells are written, which follows from the two below.
export { type CsvLogsOptions, formatLogs, undoFormulaGuard } from "./format-logs.js";
