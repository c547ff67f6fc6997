export { formatAudit, formatDeliveries, formatEndpoints, formatTokens } from "../lists/csv.js";
// The writing of single cells is internal on purpose.
export {
  type CsvLogsOptions,
  formatHeader,
  formatLogs,
  formatRows,
  formatTable,
  undoFormulaGuard,
} from "../logs/csv.js";
export { formatTrace } from "../trace/csv.js";
