// What is left out on purpose: how tables are laid out and texts are broken, which is free to change.
export { clean } from "./clean.js";
export { formatLogDetail } from "./format-log-detail.js";
export { formatLogs, type TerminalLogsOptions } from "./format-logs.js";
export { formatProblem, type TerminalProblemOptions } from "./format-problem.js";
export { formatStatus } from "./format-status.js";
export { formatSummary, type TerminalSummaryOptions } from "./format-summary.js";
export { formatClaims, formatToken } from "./format-token.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { textWidth } from "./width.js";
