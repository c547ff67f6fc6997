// What is left out on purpose: the parts of which the messages are made, which are free to change.
export type { ChartPoint, ChartSeries, DataVisualizationBlock, PieChart, SeriesChart } from "./data-visualization.js";
export { escapeMrkdwn } from "./escape.js";
export { formatLogDetail } from "./format-log-detail.js";
export { formatLogs, type SlackLogsMessage, type SlackLogsOptions } from "./format-logs.js";
export { formatProblem } from "./format-problem.js";
export { formatStatus } from "./format-status.js";
export { formatSummary, type SlackSummaryOptions } from "./format-summary.js";
export { formatToken } from "./format-token.js";
export type { SlackBlock, SlackMessage } from "./message.js";
