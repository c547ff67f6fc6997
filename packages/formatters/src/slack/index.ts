// The parts of messages are internal on purpose: they may change at any time.
export { slackEnabled as formatEnabled, slackResent as formatResent, slackRevoked as formatRevoked } from "../acts.js";
export { slackAudit as formatAudit } from "../audit.js";
export {
  slackDeliveries as formatDeliveries,
  slackDelivery as formatDelivery,
  slackEndpoints as formatEndpoints,
} from "../deliveries.js";
export { type SlackDigestOptions, slackDigest as formatDigest } from "../digest.js";
export { type SlackIncidentOptions, slackIncident as formatIncident } from "../incident.js";
export { slackTokens as formatTokens } from "../issued.js";
export type { SlackListingMessage, SlackListingOptions } from "../lists.js";
export { type SlackLiveMessage, slackLive as formatLive } from "../live.js";
export {
  type SlackLogsMessage,
  type SlackLogsOptions,
  slackLogDetail as formatLogDetail,
  slackLogs as formatLogs,
} from "../logs.js";
export { slackProblem as formatProblem } from "../problem.js";
export { slackStatus as formatStatus } from "../status.js";
export { slackSummary as formatSummary } from "../summary.js";
export { slackCheckedToken as formatCheckedToken, slackToken as formatToken } from "../token.js";
export { type SlackTraceMessage, slackTrace as formatTrace, type TraceOptions as SlackTraceOptions } from "../trace.js";
export { type SlackWhyMessage, slackWhy as formatWhy } from "../why.js";
export type {
  DataVisualizationBlock,
  SlackBlock,
  SlackMessage,
  SlackPerson,
  SlackRequesterOptions,
} from "./parts.js";
export { escapeMrkdwn } from "./parts.js";
