// What is left out on purpose: how texts are escaped and tables are written, which is free to change.
export {
  formatLogDetail,
  formatLogs,
  formatSummary,
  type MarkdownLogsOptions,
  type MarkdownSummaryOptions,
} from "./format.js";
