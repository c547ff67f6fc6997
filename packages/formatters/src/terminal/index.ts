// The layout of tables and texts is internal on purpose: it may change at any time.

export {
  formatLogDetail,
  formatProblem,
  formatStatus,
  formatSummary,
  type TerminalProblemOptions,
  type TerminalSummaryOptions,
} from "./format.js";
export { formatEnabled, formatResent, formatRevoked } from "./format-acts.js";
export {
  formatAudit,
  formatDeliveries,
  formatDelivery,
  formatEndpoints,
  formatTokens,
  type TerminalDeliveryOptions,
  type TerminalListingOptions,
} from "./format-listing.js";
export { formatLive, type TerminalLiveOptions } from "./format-live.js";
export { formatLogs, type TerminalLogsOptions } from "./format-logs.js";
export { formatCheckedToken, formatClaims, formatToken, type TerminalTokenOptions } from "./format-token.js";
export { formatTrace, type TerminalTraceOptions } from "./format-trace.js";
export { formatWhy, type TerminalWhyOptions } from "./format-why.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
