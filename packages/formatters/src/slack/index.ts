// The parts of messages are internal on purpose: they may change at any time.

export { formatDigest, type SlackDigestOptions } from "../digest/slack.js";
export { formatIncident, type SlackIncidentOptions } from "../incident/slack.js";
export {
  formatAudit,
  formatDeliveries,
  formatDelivery,
  formatEnabled,
  formatEndpoints,
  formatResent,
  formatRevoked,
  formatTokens,
  type SlackListingMessage,
  type SlackListingOptions,
} from "../lists/slack.js";
export { formatLive, type SlackLiveMessage } from "../live/slack.js";
export { formatLogDetail, formatLogs, type SlackLogsMessage, type SlackLogsOptions } from "../logs/slack.js";
export { formatProblem } from "../problem/slack.js";
export { formatStatus } from "../status/slack.js";
export { formatSummary } from "../summary/slack.js";
export { formatCheckedToken, formatToken } from "../token/slack.js";
export { formatTrace, type SlackTraceMessage, type SlackTraceOptions } from "../trace/slack.js";
export { formatWhy, type SlackWhyMessage } from "../why/slack.js";
export type {
  DataVisualizationBlock,
  SlackBlock,
  SlackMessage,
  SlackPerson,
  SlackRequesterOptions,
} from "./parts.js";
export { escapeMrkdwn } from "./parts.js";
