// What is left out on purpose: how tables are laid out and texts are broken, which is free to change.

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
