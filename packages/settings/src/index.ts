// Kinds of settings; each program has its own table of settings.
export {
  ConfigError,
  databaseUrl,
  hidden,
  type LogLevel,
  logLevel,
  masterKey,
  port,
  readSettings,
  setting,
  shown,
  shownUrl,
  webAddress,
  wholeNumber,
  yesOrNo,
} from "./settings.js";
