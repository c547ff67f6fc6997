import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Request } from "../request.js";
import { type Draft, sendDraft } from "../slack/draft.js";
import { markedSection } from "../slack/sections.js";
import { slackDate } from "../slack/slack-date.js";
import type { Minting } from "./mintings.js";

/** Tells the workspace's audit channel, where it has one, that a token was made. A failure is logged, and no more. */
export async function tellAudit(minting: Minting, { config, slack, log }: Request): Promise<void> {
  const channel = config.auditChannels.get(minting.teamId) ?? config.auditChannels.get("");
  if (channel === undefined) return;
  try {
    await sendDraft(
      auditDraft(minting),
      async (message) => {
        await slack.chat.postMessage({ ...message, channel, unfurl_links: false });
      },
      log,
    );
  } catch (error) {
    log.error({ err: error, channel, jti: minting.jti }, "the audit channel was not told of an access token");
  }
}

/** A token's id is a UUID; what another service makes of it may be long. */
const LONGEST_ID = 100;

/** Who made a token, where, and what it allows: all but the token. */
export function auditDraft(minting: Minting): Draft {
  const { userId, placeId, projectId, channelId, role, startsAt, endsAt, maxConnections, jti, reason } = minting;
  const heading = `<@${userId}> made an access token in ${placeWords(placeId)}.`;
  const facts: [string, string][] = [
    ["Project", escapeMrkdwn(projectId)],
    ["Channel", channelId === undefined ? "every channel" : escapeMrkdwn(channelId)],
    ["Role", escapeMrkdwn(role ?? "any")],
    ["Begins", startsAt === undefined ? "at once" : slackDate(startsAt)],
    ["Ends", endsAt === undefined ? "not known" : slackDate(endsAt)],
    ["Limit", limitWords(maxConnections)],
    ["Token id", escapeMrkdwn(jti.slice(0, LONGEST_ID))],
    ["Reason", reason === undefined ? "none given" : escapeMrkdwn(reason)],
  ];
  return {
    blocks: [markedSection([heading, ...facts.map(([title, value]) => `• *${title}:* ${value}`)].join("\n"))],
    text: heading,
  };
}

function limitWords(maxConnections: number | undefined): string {
  if (maxConnections === undefined) return "none";
  return maxConnections === 0
    ? "0: no connection is let in"
    : `fewer than ${maxConnections} connections in the channel`;
}

// Ids of channels begin with a C, those of old private ones with a G.
const placeWords = (placeId: string): string => (/^[CG]/.test(placeId) ? `<#${placeId}>` : "a direct conversation");
