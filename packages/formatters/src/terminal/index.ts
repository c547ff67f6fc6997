// The layout of tables and texts is internal on purpose: it may change at any time.

export {
  formatClaims,
  formatLogDetail,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  type TerminalProblemOptions,
  type TerminalSummaryOptions,
} from "./format.js";
export { formatLogs, type TerminalLogsOptions } from "./format-logs.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
