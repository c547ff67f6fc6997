import { LogLevel, type Logger as SlackLogger } from "@slack/bolt";
import { WebAPIPlatformError, type WebClientOptions } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config.js";

/** The log for Slack's libraries. Their "info" concerns only themselves, and their "debug" may contain messages. */
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

// The error of Slack's client contains the whole response, and that of Bolt the request.
const textOf = (part: unknown): string => (part instanceof Error ? part.message : String(part));

/** Options of Slack's client: if Slack limits its calls, it waits as long as requested, then retries. */
export function clientOptionsOf({ slack }: Pick<Config, "slack">, log: Logger): WebClientOptions {
  return {
    ...(slack.apiUrl !== undefined && { slackApiUrl: slack.apiUrl }),
    logger: slackLogger(log),
    timeout: 10_000,
    // Half a minute is long for a waiting person.
    retryConfig: { retries: 4, minTimeout: 500, factor: 2, randomize: true },
    allowAbsoluteUrls: false,
  };
}

/** Slack refused a request. */
export class SlackRefusal extends Error {
  override readonly name = "SlackRefusal";
  /** Slack's error code: `invalid_blocks`. */
  readonly code: string;
  /** Slack's explanations, often with a pointer: `must be less than 151 characters [json-pointer:/blocks/0/text]`. */
  readonly faults: readonly string[];

  constructor(what: string, code: string, faults: readonly string[] = []) {
    super(`${what} was refused by Slack: ${[code, ...faults].join("; ")}`);
    this.code = code;
    this.faults = faults;
  }
}

/** Slack's refusal of a Web API call or an answer; undefined for all other errors. */
export function refusalOf(error: unknown): Pick<SlackRefusal, "code" | "faults"> | undefined {
  if (error instanceof SlackRefusal) return error;
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  return { code: error.data.error, faults: faultsIn(error.data) };
}

// Slack's errors if the bot can't write in a conversation, or the person isn't in it.
const CLOSED = new Set([
  "cannot_dm_bot",
  "channel_not_found",
  "is_archived",
  "method_not_supported_for_channel_type",
  "not_in_channel",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_locked",
  "user_not_found",
  "user_not_in_channel",
]);

/** Whether Slack refused a message because of its place, so that only another place helps. */
export const isClosedPlace = (error: unknown): boolean => CLOSED.has(refusalOf(error)?.code ?? "");

/** The faults in a response from Slack. */
export function faultsIn(answer: object): string[] {
  const { errors, response_metadata } = answer as { errors?: unknown; response_metadata?: { messages?: unknown } };
  const listed = Array.isArray(errors) ? errors : response_metadata?.messages;
  return Array.isArray(listed) ? listed.map((fault) => String(fault).replace(/^\[ERROR\] /, "")) : [];
}

const ABOUT_BLOCKS = new Set(["invalid_blocks", "invalid_blocks_format", "invalid_arguments", "msg_blocks_too_long"]);

/** Whether Slack refused the blocks, so that simpler ones may be accepted. */
export const isAboutBlocks = (code: string): boolean => ABOUT_BLOCKS.has(code);

/** The permissions that the bot requests. `manifest.yaml` and the documentation explain each. */
export const SCOPES = [
  "commands",
  "app_mentions:read",
  "chat:write",
  "chat:write.public",
  "channels:history",
  "groups:history",
  "files:write",
  "im:write",
  "users:read",
  "usergroups:read",
] as const;
