// The parts of messages are internal on purpose: they may change at any time.

export {
  formatLogDetail,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  type SlackSummaryOptions,
} from "./format.js";
export { formatLogs, type SlackLogsMessage, type SlackLogsOptions } from "./format-logs.js";
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
