import { joinLink, oneOfThese } from "@media-ops/commands";
import { splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, formatToken, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { TokenClaims } from "@media-ops/tokens";
import type { Button } from "@slack/types";
import { actButton } from "../acts/act.js";
import type { Decision } from "../policy/decide.js";
import type { Member } from "../policy/policy.js";
import { mentionOf } from "../projects/words.js";
import {
  button,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  plainSection,
  row,
  slackDate,
  smallPrint,
} from "../slack/blocks.js";
import { type DesiredToken, writeDesired } from "./desired-token.js";

/** The action that deletes the message. */
export const HIDE = "hide-token";

/** A created token, and the facts for its message. */
export interface MadeToken {
  token: string;
  /** Undefined if the claims can't be read. */
  claims: TokenClaims | undefined;
  projectId: string;
  reason?: string | undefined;
  /** The person who approved it, if it exceeds the policy. */
  approvedBy?: string | undefined;
}

const ENDS_ITSELF = "It ends with its time, or when its API key is revoked.";
const UNREADABLE = "Access token: What it allows can't be read, and may be more than you asked for.";

/** The message with the token: in a block of its own and in the join link, neither in `text` nor behind a button. */
export function tokenMessage(
  made: MadeToken,
  options: {
    readonly now: number;
    readonly timeZone: string;
    readonly prefix: string;
    readonly joinUrl?: string | undefined;
  },
): Draft {
  const { token, claims, projectId, reason, approvedBy } = made;
  const { now, timeZone, prefix } = options;
  const joinUrl = joinUrlOf(made, options.joinUrl);
  const { blocks, text } = claims ? formatToken(token, claims, { now, timeZone, joinUrl }) : unreadable(token);
  const revoke = revokeButton(claims?.jti, projectId);
  const below: SlackBlock[] = [
    smallPrint(`Project ${escapeMrkdwn(projectId)}${reason === undefined ? "" : ` · reason: ${escapeMrkdwn(reason)}`}`),
    ...(approvedBy === undefined ? [] : [smallPrint(`Approved by <@${approvedBy}>`)]),
    ...(revoke ? [] : [smallPrint(ENDS_ITSELF)]),
    ...row(button({ label: "Hide", action: HIDE }), revoke),
  ];
  return {
    blocks: [...blocks, ...below],
    text,
    compact: token.length > LONGEST_COMPACT ? undefined : () => compactMessage(made, text, below),
    plain: `Slack refused to show the access token. Nobody has it, so make another with ${escapeMrkdwn(prefix)} token.`,
    isSecret: true,
  };
}

/** A button that ends a token; undefined if its id is none that can be typed. */
function revokeButton(id: string | undefined, projectId: string): Button | undefined {
  if (id === undefined || !/^[\w-]{1,100}$/.test(id)) return undefined;
  return actButton("Revoke…", "token", { name: "revoke", id, in: projectId });
}

/** The longest link that Slack shows. */
const LONGEST_LINK = 3000;

function joinUrlOf({ token, claims, projectId }: MadeToken, template: string | undefined): string | undefined {
  if (template === undefined) return undefined;
  const { name } = splitChannel(claims?.channel_id ?? "");
  const link = joinLink(template, { token, channel: name, project: projectId });
  return link.length > LONGEST_LINK ? undefined : link;
}

/** The longest section, less the code fences. */
const LONGEST_COMPACT = 2990;

function compactMessage({ token, claims }: MadeToken, text: string, below: SlackBlock[]): SlackMessage {
  const end = claims?.exp === undefined ? "" : `\nEnds: ${slackDate(claims.exp * 1000)}`;
  return {
    blocks: [
      mrkdwnSection(`${text}${end}`),
      // Only characters of a token are safe inside a code block: they can't end it.
      /^[\w.-]+$/.test(token) ? mrkdwnSection(`\`\`\`${token}\`\`\``) : plainSection(token),
      ...below,
    ],
    text,
  };
}

function unreadable(token: string): SlackMessage {
  return {
    blocks: [
      plainSection(UNREADABLE),
      {
        type: "rich_text",
        elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: token }] }],
      },
    ],
    text: UNREADABLE,
  };
}

/** Why a person may not create a token; see the same members of `Decision`. */
type NotAllowed = Pick<Extract<Decision, { ok: false }>, "reason" | "ask">;

/** The refusal, the allowed alternatives, and who can help; in Slack's markup. */
export function refusalText({ reason, ask }: NotAllowed, member: Member): string {
  return `${escapeMrkdwn(reason)} ${whoCanHelp(ask, member)}`;
}

/** The action that opens the window with the refused request. */
export const CHOOSE_TOKEN = "choose-token";
/** The action that opens the window for a request to those who may approve it. */
export const ASK_APPROVAL = "ask-approval";

/** A message that refuses a token, with a button to `choose` what is allowed or to `ask` for approval, and a hint. */
export function refusalDraft(
  refusal: NotAllowed,
  member: Member,
  {
    choose,
    ask,
    hint,
  }: {
    readonly choose?: DesiredToken | undefined;
    readonly ask?: DesiredToken | undefined;
    readonly hint?: string | undefined;
  },
): Draft {
  const words = [refusalText(refusal, member), ...(hint === undefined ? [] : [hint])].join(" ");
  return mrkdwnMessage(
    words,
    choose && button({ label: "Choose what is allowed", action: CHOOSE_TOKEN, value: writeDesired(choose) }),
    ask && button({ label: "Ask for approval…", action: ASK_APPROVAL, value: writeDesired(ask) }),
  );
}

function whoCanHelp(ask: readonly string[], { userId, isAdmin }: Member): string {
  const others = ask.filter((id) => id !== userId);
  if (others.length > 0) return `${oneOfThese(others.map(mentionOf), "or")} can help.`;
  // Don't refer people to themselves.
  if (isAdmin || ask.length > 0) return "The bot's operator can allow more in its token policy.";
  return "A workspace admin can help.";
}
