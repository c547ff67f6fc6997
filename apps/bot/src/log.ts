import { LogLevel, type Logger as SlackLogger } from "@slack/bolt";
import type { Logger } from "pino";

/**
 * The log as Slack's libraries write to it. They tell at "info" what only concerns themselves, and at "debug" whole
 * answers, which may hold what people see.
 */
export function slackLogger(log: Logger): SlackLogger {
  const text = (message: unknown[]): string => message.map((part) => textOf(part)).join(" ");
  return {
    debug() {},
    info: (...message) => log.debug({ by: "slack" }, text(message)),
    warn: (...message) => log.warn({ by: "slack" }, text(message)),
    error: (...message) => log.error({ by: "slack" }, text(message)),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

// An error of Slack's client carries the whole answer, and that of Bolt the request.
const textOf = (part: unknown): string => (part instanceof Error ? part.message : String(part));
