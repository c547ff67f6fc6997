import type { WebClientOptions } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import { slackLogger } from "../log.js";

/** How Slack is called: it waits as long as Slack says where it is too much for it, and tries again. */
export function clientOptionsOf({ slack }: Pick<Config, "slack">, log: Logger): WebClientOptions {
  return {
    ...(slack.apiUrl !== undefined && { slackApiUrl: slack.apiUrl }),
    logger: slackLogger(log),
    timeout: 10_000,
    // For the person who waits, half a minute is long.
    retryConfig: { retries: 4, minTimeout: 500, factor: 2, randomize: true },
    allowAbsoluteUrls: false,
  };
}
