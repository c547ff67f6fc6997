import { type Logger, LogLevel } from "@slack/bolt";

/** Silences Bolt, which logs the errors that these tests cause on purpose. */
export const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};
