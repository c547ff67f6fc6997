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
export { formatLive, type TerminalLiveOptions } from "./format-live.js";
export { formatLogs, type TerminalLogsOptions } from "./format-logs.js";
export { formatTrace, type TerminalTraceOptions } from "./format-trace.js";
export { formatWhy, type TerminalWhyOptions } from "./format-why.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
