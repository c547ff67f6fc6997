// The layout of tables and texts is internal on purpose: it may change at any time.
export {
  terminalEnabled as formatEnabled,
  terminalResent as formatResent,
  terminalRevoked as formatRevoked,
} from "../acts.js";
export { terminalAudit as formatAudit } from "../audit.js";
export {
  terminalDeliveries as formatDeliveries,
  terminalDelivery as formatDelivery,
  terminalEndpoints as formatEndpoints,
} from "../deliveries.js";
export { terminalTokens as formatTokens } from "../issued.js";
export { terminalLive as formatLive } from "../live.js";
export { type TerminalLogsOptions, terminalLogDetail as formatLogDetail, terminalLogs as formatLogs } from "../logs.js";
export { terminalProblem as formatProblem } from "../problem.js";
export { terminalStatus as formatStatus } from "../status.js";
export { terminalSummary as formatSummary } from "../summary.js";
export {
  terminalCheckedToken as formatCheckedToken,
  terminalClaims as formatClaims,
  terminalToken as formatToken,
} from "../token.js";
export { terminalTrace as formatTrace } from "../trace.js";
export { terminalWhy as formatWhy } from "../why.js";
export type { TerminalOptions, TerminalScreenOptions } from "./screen.js";
export { clean, textWidth } from "./width.js";
