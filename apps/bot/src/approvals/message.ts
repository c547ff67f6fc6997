import { escapeMrkdwn, type SlackMessage } from "@media-ops/formatters/slack";
import type { KnownBlock } from "@slack/types";
import { factLines } from "../audit/post.js";
import { formatLength } from "../language.js";
import { channelIdOf, whoIn } from "../projects/words.js";
import type { WorkspaceContext } from "../request.js";
import { button, mrkdwnSection, row, slackDate } from "../slack/blocks.js";
import { refusalOf } from "../slack/client.js";
import type { RequestMessage, TokenRequest } from "./request-store.js";

/** The actions of a request's message. The value of each is the request's id, and nothing else. */
export const APPROVE = "approve-token";
export const DENY = "deny-token";

/** What a request is for. */
export type RequestTerms = Pick<
  TokenRequest,
  "projectId" | "channelId" | "role" | "lifetimeMs" | "startsAt" | "maxConnections"
>;

/** The terms of a requested token, a fact on each line, in Slack's markup. */
export function termLines({ projectId, channelId, role, lifetimeMs, startsAt, maxConnections }: RequestTerms) {
  const start = startsAt === undefined ? "from its approval" : `from ${slackDate(startsAt)}`;
  return factLines([
    ["Project", escapeMrkdwn(projectId)],
    ["Channel", channelId === undefined ? "every channel" : escapeMrkdwn(channelIdOf(channelId, projectId))],
    ["Role", role],
    ["Lifetime", `${formatLength(lifetimeMs)}, ${start}`],
    ["Limit", maxConnections === undefined ? "none" : `${maxConnections} connections`],
  ]);
}

/** The message with the buttons, for those who may decide. */
export function pendingMessage(request: TokenRequest, approvers: readonly string[]): SlackMessage {
  const { id, userId, lapsesAt } = request;
  const { blocks, text } = messageOf(
    request,
    `Until ${slackDate(lapsesAt)}, ${whoIn(approvers)} can decide. The token is sent to <@${userId}> alone.`,
  );
  const buttons = row(
    button({ label: "Approve", action: APPROVE, value: id, style: "primary" }),
    button({ label: "Deny", action: DENY, value: id, style: "danger" }),
  );
  return { blocks: [...blocks, ...buttons], text };
}

function messageOf(request: TokenRequest, state: string): SlackMessage {
  const text = `<@${request.userId}> asks for an access token.`;
  const reason = factLines([["Reason", escapeMrkdwn(request.reason)]]);
  const body = [`*${text}*`, ...termLines(request), ...reason].join("\n");
  return { blocks: [mrkdwnSection(body), mrkdwnSection(state)], text };
}

/** What became of a request, in Slack's markup. */
export function endText({ state, decidedBy, decidedAt, userId }: TokenRequest): string {
  const by = `by <@${decidedBy ?? userId}>${decidedAt === undefined ? "" : `, ${slackDate(decidedAt)}`}`;
  const words: Record<TokenRequest["state"], string> = {
    approved: `✓ Approved ${by}.`,
    denied: `✗ Denied ${by}.`,
    failed: `Approved ${by}, but <@${userId}> got no token. They can ask again.`,
    lapsed: "Lapsed: nobody decided within 15 minutes.",
    approving: `Being approved ${by}.`,
    pending: "Nobody has decided yet.",
  };
  return words[state];
}

/**
 * Shows in each message of a request, and in the one whose button was pressed, what became of it. What Slack refuses for
 * good is given up; if Slack doesn't answer, the keeper tries again.
 */
export async function showDecision(
  request: TokenRequest,
  { slack, approvals, log }: Pick<WorkspaceContext, "slack" | "approvals" | "log">,
  pressed?: RequestMessage,
): Promise<void> {
  const { text, blocks } = messageOf(request, endText(request));
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
