// The parts of messages are internal on purpose: they may change at any time.

export {
  formatLogDetail,
  formatProblem,
  formatStatus,
  formatSummary,
} from "./format.js";
export { formatEnabled, formatResent, formatRevoked } from "./format-acts.js";
export { formatDeliveries, formatDelivery } from "./format-deliveries.js";
export { formatDigest, type SlackDigestOptions } from "./format-digest.js";
export { formatIncident, type SlackIncidentOptions } from "./format-incident.js";
export {
  formatAudit,
  formatEndpoints,
  formatTokens,
  type SlackListingMessage,
  type SlackListingOptions,
} from "./format-listing.js";
export { formatLive, type SlackLiveMessage } from "./format-live.js";
export { formatLogs, type SlackLogsMessage, type SlackLogsOptions } from "./format-logs.js";
export { formatCheckedToken, formatToken, type SlackTokenOptions } from "./format-token.js";
export { formatTrace, type SlackTraceMessage, type SlackTraceOptions } from "./format-trace.js";
export { formatWhy, type SlackWhyMessage } from "./format-why.js";
export type {
  ChartPoint,
  ChartSeries,
  DataVisualizationBlock,
  PieChart,
  SeriesChart,
  SlackBlock,
  SlackMessage,
} from "./parts.js";
export { escapeMrkdwn } from "./parts.js";
export type { SlackPerson, SlackRequesterOptions } from "./phrase-parts.js";
