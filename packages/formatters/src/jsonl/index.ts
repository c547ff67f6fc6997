// What is left out on purpose: nothing.
export { formatLogs } from "./format-logs.js";
