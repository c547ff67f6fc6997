// Escaping and tables are left out on purpose: they are free to change.
export {
  formatLogDetail,
  formatLogs,
  formatSummary,
  type MarkdownLogsOptions,
  type MarkdownSummaryOptions,
} from "./format.js";
