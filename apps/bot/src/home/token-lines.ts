import { splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { strong } from "../projects/words.js";
import { markedSection } from "../slack/sections.js";
import { slackDate } from "../slack/slack-date.js";
import type { Minting } from "../tokens/mintings.js";

/** What tokens somebody has made, and until when they are good. The tokens themselves are not known here. */
export function tokenLines(minted: readonly Minting[], now: number): SlackBlock[] {
  return [markedSection(minted.map((minting) => line(minting, now)).join("\n"))];
}

function line({ projectId, channelId, role, startsAt, endsAt }: Minting, now: number): string {
  const name = channelId === undefined ? "every channel" : strong(splitChannel(channelId).name);
  const allowed = role === undefined ? "any role" : escapeMrkdwn(role);
  return `${timeWords(startsAt, endsAt, now)} · ${name} of ${escapeMrkdwn(projectId)} · ${allowed}`;
}

function timeWords(startsAt: number | undefined, endsAt: number | undefined, now: number): string {
  const start = startsAt !== undefined && startsAt > now ? `From ${slackDate(startsAt)} ` : "";
  if (endsAt === undefined) return start === "" ? "Without end" : `${start}on`;
  if (endsAt <= now) return `Ended ${slackDate(endsAt)}`;
  return start === "" ? `Until ${slackDate(endsAt)}` : `${start}until ${slackDate(endsAt)}`;
}
