import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Member } from "../policy/policy.js";
import { listed, mentionOf } from "../projects/words.js";
import { button, row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection } from "../slack/sections.js";
import { type TokenWish, writeWish } from "./wish.js";

/** Why someone may not make a token. */
export interface NotAllowed {
  reason: string;
  /** Ids of users and user groups; empty for the workspace's admins. */
  ask: readonly string[];
}

/** What is not allowed, what is, and who can help; in Slack's own markup. */
export function refusalWords({ reason, ask }: NotAllowed, member: Member): string {
  return `${escapeMrkdwn(reason)} ${whoCanHelp(ask, member)}`;
}

interface RefusalOptions {
  member: Member;
  /** What was asked for, to choose from what is allowed of it; undefined if nothing is, for any project. */
  wish: TokenWish | undefined;
}

/** The control that opens the window with what was asked for. */
export const CHOOSE_TOKEN = "choose-token";

/** A message that refuses a token, with a button to choose what is allowed. */
export function refusalDraft(refusal: NotAllowed, { member, wish }: RefusalOptions): Draft {
  const words = refusalWords(refusal, member);
  const choose = wish && button({ label: "Choose what is allowed", action: CHOOSE_TOKEN, value: writeWish(wish) });
  return { blocks: [markedSection(words), ...row(choose)], text: words };
}

function whoCanHelp(ask: readonly string[], { userId, isAdmin }: Member): string {
  const others = ask.filter((id) => id !== userId);
  if (others.length > 0) return `${listed(others.map(mentionOf), "or")} can help.`;
  // Nobody is sent to themselves.
  if (isAdmin || ask.length > 0) return "Whoever runs the bot can allow more, in its token policy.";
  return "A workspace admin can help.";
}
