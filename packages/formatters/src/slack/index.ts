// The parts of messages are internal on purpose: they may change at any time.

export {
  formatLogDetail,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  type SlackSummaryOptions,
} from "./format.js";
export { formatDigest, type SlackDigestOptions } from "./format-digest.js";
export { formatIncident, type SlackIncidentOptions } from "./format-incident.js";
export { formatLive, type SlackLiveMessage, type SlackLiveOptions } from "./format-live.js";
export { formatLogs, type SlackLogsMessage, type SlackLogsOptions } from "./format-logs.js";
export { formatTrace, type SlackTraceMessage, type SlackTraceOptions } from "./format-trace.js";
export { formatWhy, type SlackWhyMessage, type SlackWhyOptions } from "./format-why.js";
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
