// What is left out on purpose: the settings themselves. Each program has its own table of them.
export {
  databaseUrl,
  hidden,
  type LogLevel,
  logLevel,
  masterKey,
  port,
  setting,
  shown,
  shownUrl,
  webAddress,
  wholeNumber,
  yesOrNo,
} from "./kinds.js";
export { ConfigError, readSettings } from "./read-settings.js";
