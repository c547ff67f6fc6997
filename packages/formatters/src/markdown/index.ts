export { markdownAudit as formatAudit } from "../audit.js";
export {
  markdownDeliveries as formatDeliveries,
  markdownDelivery as formatDelivery,
  markdownEndpoints as formatEndpoints,
} from "../deliveries.js";
export { markdownTokens as formatTokens } from "../issued.js";
export { markdownLive as formatLive } from "../live.js";
export { type MarkdownLogsOptions, markdownLogDetail as formatLogDetail, markdownLogs as formatLogs } from "../logs.js";
export { markdownSummary as formatSummary } from "../summary.js";
export { markdownTrace as formatTrace } from "../trace.js";
export { markdownWhy as formatWhy } from "../why.js";
