// What is left out on purpose: the settings themselves. Each program has its own table of them.
export { type LogLevel, logLevel, masterKey, port, webAddress, yesOrNo } from "./kinds.js";
export { ConfigError, readSettings } from "./read-settings.js";
