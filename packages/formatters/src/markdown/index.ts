export { formatAudit, formatDeliveries, formatDelivery, formatEndpoints, formatTokens } from "../lists/markdown.js";
export { formatLive } from "../live/markdown.js";
export { formatLogDetail, formatLogs, type MarkdownLogsOptions } from "../logs/markdown.js";
export { formatSummary } from "../summary/markdown.js";
export { formatTrace } from "../trace/markdown.js";
export { formatWhy } from "../why/markdown.js";
