import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  ConfirmationDialog,
  ContextBlock,
  PlainTextElement,
  SectionBlock,
} from "@slack/types";
import type { Draft } from "./draft.js";

/** What a section takes. */
const LONGEST = 3000;

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`);

/** Words in which nothing is interpreted, for labels, titles and the like. */
export function plain(text: string): PlainTextElement {
  return { type: "plain_text", text, emoji: false };
}

/** The same as a paragraph. */
export function plainSection(text: string): SectionBlock {
  return { type: "section", text: plain(cut(text)) };
}

/** Words in Slack's own markup, in which people and channels can be named; what comes from outside is escaped first. */
export function markedSection(text: string): SectionBlock {
  return { type: "section", text: { type: "mrkdwn", text: cut(text), verbatim: true } };
}

/** Small print. */
export function smallPrint(text: string): ContextBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text: cut(text), verbatim: true }] };
}

/** A message of nothing but words. */
export function wordsOnly(text: string): Draft {
  return { blocks: [plainSection(text)], text: escapeMrkdwn(text) };
}

/** What a button's value takes. */
const LONGEST_VALUE = 2000;
/** The action that runs a command. */
export const RUN = "run";
/** The action that runs one and leaves the message that it stands in as it is. */
export const RUN_APART = "run-apart";

export interface ButtonOptions {
  label: string;
  /** What it does, and behind a colon what tells it from others of the kind in a message. */
  action: string;
  value?: string | undefined;
  style?: "primary" | "danger" | undefined;
  /** Asked before it does it. */
  confirm?: { title: string; text: string; yes: string } | undefined;
}

/** A button; none where its value would be too long for Slack. */
export function button({ label, action, value = "", style, confirm }: ButtonOptions): Button | undefined {
  if (value.length > LONGEST_VALUE) return undefined;
  return {
    type: "button",
    text: plain(label),
    action_id: action,
    ...(value !== "" && { value }),
    ...(style && { style }),
    ...(confirm && { confirm: dialog(confirm) }),
  };
}

/** A button that runs a command, in the place of the message that it stands in. */
export function runButton(
  label: string,
  command: string,
  { id = "1", style }: { id?: string; style?: "primary" } = {},
) {
  return button({ label, action: `${RUN}:${id}`, value: command, style });
}

/** A button that runs a command and gives whoever presses it a message of their own. */
export function apartButton(label: string, command: string, id: string) {
  return button({ label, action: `${RUN_APART}:${id}`, value: command });
}

/** A row of controls; nothing where there are none. */
export function row(...controls: (ActionsBlockElement | undefined)[]): SlackBlock[] {
  const elements = controls.filter((control) => control !== undefined);
  return elements.length === 0 ? [] : [{ type: "actions", elements } satisfies ActionsBlock];
}

function dialog({ title, text, yes }: NonNullable<ButtonOptions["confirm"]>): ConfirmationDialog {
  return { title: plain(title), text: plain(text), confirm: plain(yes), deny: plain("Cancel") };
}

// The end of the year 9999.
const LAST_MS = 253_402_300_799_999;

/** A time as each reader's own clock has it, in Slack's own markup. */
export function slackDate(ms: number): string {
  if (!(ms >= 0 && ms <= LAST_MS)) return `${ms / 1000} s after 1970`;
  const iso = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {time_secs}|${iso}>`;
}
