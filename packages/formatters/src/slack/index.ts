// The parts of messages are left out on purpose: they are free to change.

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
