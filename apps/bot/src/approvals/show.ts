import type { KnownBlock } from "@slack/types";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { refusalOf } from "../slack/client.js";
import { decidedMessage } from "./message.js";
import type { RequestMessage, RequestStore, TokenRequest } from "./request-store.js";

/**
 * Shows in each message of a request what became of it, without buttons. What Slack refuses for good is given up; if
 * Slack doesn't answer, the keeper tries again.
 *
 * @param pressed The message whose button was pressed; it is known even if the bot stopped before it stored it.
 */
export async function showDecision(
  request: TokenRequest,
  { slack, approvals, log }: { slack: WebClient; approvals: RequestStore; log: Logger },
  pressed?: RequestMessage,
): Promise<void> {
  const { text, blocks } = decidedMessage(request);
  const messages = new Map([...request.messages, ...(pressed ? [pressed] : [])].map((one) => [one.ts, one]));
  let isShown = true;
  for (const { channel, ts } of messages.values()) {
    try {
      // The formatters' blocks are valid; the types of Slack's library lag behind the API.
      await slack.chat.update({ channel, ts, text, blocks: blocks as KnownBlock[] });
    } catch (error) {
      const code = refusalOf(error)?.code;
      isShown &&= code !== undefined && code !== "ratelimited";
      log.warn({ err: error, request: request.id, channel }, "failed to show what became of a request for approval");
    }
  }
  if (isShown) await approvals.shown(request.served.teamId, request.id);
}
