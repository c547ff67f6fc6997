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
} from "../lists/terminal.js";
export { formatLive } from "../live/terminal.js";
export { formatLogDetail, formatLogs, type TerminalLogsOptions } from "../logs/terminal.js";
export { formatProblem } from "../problem/terminal.js";
export { formatStatus } from "../status/terminal.js";
export { formatSummary } from "../summary/terminal.js";
export { formatCheckedToken, formatClaims, formatToken } from "../token/terminal.js";
export { formatTrace } from "../trace/terminal.js";
export { formatWhy } from "../why/terminal.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
