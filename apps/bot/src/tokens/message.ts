import { escapeMrkdwn, formatToken, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type { TokenClaims } from "@media-ops/tokens";
import { button, row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection, plainSection, smallPrint } from "../slack/sections.js";
import { slackDate } from "../slack/slack-date.js";

/** The control that takes the message away. */
export const HIDE = "hide-token";

/** A token that was made, and what is to be said of it. */
export interface MadeToken {
  token: string;
  /** Undefined where they cannot be read. */
  claims: TokenClaims | undefined;
  projectId: string;
  reason?: string | undefined;
}

export interface MessageOptions {
  now: number;
  timeZone: string;
  /** How commands begin. */
  prefix: string;
}

const REVOCATION = "It cannot be revoked by itself, only together with the API key that it was made with.";
const UNREADABLE = "Access token: What it allows cannot be read, and may be more than what was asked for.";

/** The message with the token. It stands in a block of its own and nowhere else: not in `text`, nor behind a button. */
export function tokenMessage(made: MadeToken, options: MessageOptions): Draft {
  const { token, claims, projectId, reason } = made;
  const { blocks, text } = claims ? formatToken(token, claims, options) : unreadable(token);
  const below: SlackBlock[] = [
    smallPrint(`Project ${escapeMrkdwn(projectId)}${reason === undefined ? "" : ` · reason: ${escapeMrkdwn(reason)}`}`),
    smallPrint(REVOCATION),
    ...row(button({ label: "Hide", action: HIDE })),
  ];
  return {
    blocks: [...blocks, ...below],
    text,
    compact: token.length > LONGEST_COMPACT ? undefined : () => compactMessage(made, text, below),
    plain: `Slack refused to show the access token. Nothing was lost, nobody has it: make another with ${escapeMrkdwn(options.prefix)} token.`,
    isSecret: true,
  };
}

/** What a section takes, less the marks of code. */
const LONGEST_COMPACT = 2990;

function compactMessage({ token, claims }: MadeToken, text: string, below: SlackBlock[]): SlackMessage {
  const end = claims?.exp === undefined ? "" : `\nEnds: ${slackDate(claims.exp * 1000)}`;
  return {
    blocks: [
      markedSection(`${text}${end}`),
      // Only what looks like a token cannot end the code, nor mean anything in it.
      /^[\w.-]+$/.test(token) ? markedSection(`\`\`\`${token}\`\`\``) : plainSection(token),
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
