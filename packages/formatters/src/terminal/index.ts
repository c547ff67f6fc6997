// The layout of tables and texts is internal on purpose: it may change at any time.

export {
  formatAudit,
  formatDeliveries,
  formatDelivery,
  formatEnabled,
  formatEndpoints,
  formatResent,
  formatRevoked,
  formatTokens,
  type TerminalDeliveryOptions,
  type TerminalListingOptions,
} from "../lists/terminal.js";
export { formatLive, type TerminalLiveOptions } from "../live/terminal.js";
export { formatLogDetail, formatLogs, type TerminalLogsOptions } from "../logs/terminal.js";
export { formatProblem, type TerminalProblemOptions } from "../problem/terminal.js";
export { formatStatus } from "../status/terminal.js";
export { formatSummary, type TerminalSummaryOptions } from "../summary/terminal.js";
export { formatCheckedToken, formatClaims, formatToken, type TerminalTokenOptions } from "../token/terminal.js";
export { formatTrace, type TerminalTraceOptions } from "../trace/terminal.js";
export { formatWhy, type TerminalWhyOptions } from "../why/terminal.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
