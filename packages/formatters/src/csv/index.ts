// How single cells are written is left out on purpose.
export { type CsvLogsOptions, formatLogs, undoFormulaGuard } from "./format-logs.js";
