import { shorten } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  ContextBlock,
  PlainTextElement,
  PlainTextOption,
  SectionBlock,
  StaticSelect,
} from "@slack/types";

// Slack's limits.
const MAX_SECTION = 3000;
/** The longest value of a button. */
export const MAX_BUTTON_VALUE = 2000;
/** The longest value of a menu's option. */
export const MAX_OPTION_VALUE = 150;
/** The longest label of a button or an option. */
export const MAX_LABEL = 75;

/** The blocks for a window, without buttons: those would answer in a conversation, which the window hides. */
export const withoutButtons = (blocks: readonly SlackBlock[]): SlackBlock[] =>
  blocks.filter(({ type }) => type !== "actions");

/** Text without markup, for labels and titles. */
export function plain(text: string): PlainTextElement {
  return { type: "plain_text", text, emoji: false };
}

/** An option of a menu, radio buttons or checkboxes. */
export const optionOf = (value: string, text: string): PlainTextOption => ({ text: plain(text), value });

// Slack's limit, and more than anyone reads through.
export const MOST_OPTIONS = 100;

/** A menu with the last of the options that are not undefined; undefined if there are none. */
export function menu(
  label: string,
  action: string,
  options: readonly (PlainTextOption | undefined)[],
): StaticSelect | undefined {
  const some = options.filter((option) => option !== undefined).slice(-MOST_OPTIONS);
  if (some.length === 0) return undefined;
  return { type: "static_select", action_id: action, placeholder: plain(label), options: some };
}

/** A paragraph without markup. */
export function plainSection(text: string): SectionBlock {
  return { type: "section", text: plain(shorten(text, MAX_SECTION)) };
}

/** A paragraph in Slack's markup. Escape foreign text first. */
export function mrkdwnSection(text: string): SectionBlock {
  return { type: "section", text: { type: "mrkdwn", text: shorten(text, MAX_SECTION), verbatim: true } };
}

/** Small print in Slack's markup. */
export function smallPrint(text: string): ContextBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text: shorten(text, MAX_SECTION), verbatim: true }] };
}

/** The action that runs a command. */
export const RUN = "run";
/** The action that runs a command and leaves the button's message unchanged. */
export const RUN_APART = "run-apart";

/** A button, whose action may have a suffix after a colon; undefined if its value is too long for Slack. */
export function button({
  label,
  action,
  value = "",
  style,
  confirm,
}: {
  label: string;
  action: string;
  value?: string | undefined;
  style?: "primary" | "danger" | undefined;
  confirm?: { title: string; text: string; yes: string };
}): Button | undefined {
  if (value.length > MAX_BUTTON_VALUE) return undefined;
  return {
    type: "button",
    text: plain(label),
    action_id: action,
    ...(value !== "" && { value }),
    ...(style && { style }),
    ...(confirm && {
      confirm: {
        title: plain(confirm.title),
        text: plain(confirm.text),
        confirm: plain(confirm.yes),
        deny: plain("Cancel"),
      },
    }),
  };
}

/** A button that runs a command; the answer replaces its message. */
export function runButton(
  label: string,
  command: string,
  { id = "1", style }: { id?: string; style?: "primary" } = {},
) {
  return button({ label, action: `${RUN}:${id}`, value: command, style });
}

/** A button that runs a command; the answer is a new message that only the person sees. */
export function apartButton(label: string, command: string, id: string) {
  return button({ label, action: `${RUN_APART}:${id}`, value: command });
}

/** A row with the controls that are not undefined; no block if there are none. */
export function row(...controls: (ActionsBlockElement | undefined)[]): SlackBlock[] {
  const elements = controls.filter((control) => control !== undefined);
  return elements.length === 0 ? [] : [{ type: "actions", elements } satisfies ActionsBlock];
}

// The end of the year 9999.
const LAST_MS = 253_402_300_799_999;

/** A time in Slack's markup, which shows it in each reader's time zone. */
export function slackDate(ms: number, clock: "time" | "time_secs" = "time_secs"): string {
  if (!(ms >= 0 && ms <= LAST_MS)) return `${ms / 1000} s after 1970`;
  const iso = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {${clock}}|${iso}>`;
}

/** The channel in Slack's markup, within a sentence; direct conversations have no name. */
export const inPlace = (placeId: string): string =>
  placeId.startsWith("D") ? "in a direct conversation" : `in <#${placeId}>`;

/** The channel in Slack's markup, at the beginning of a line. */
export const placeText = (placeId: string): string => inPlace(placeId).replace("in", "In");

/** A message, with simpler forms in case Slack refuses its blocks. */
export interface Draft extends SlackMessage {
  /** The message in blocks that any Slack accepts. @default none: falls back to plain text */
  compact?: (() => SlackMessage) | undefined;
  /** The message as plain text, escaped. @default the text of the blocks */
  plain?: string | undefined;
  /** Whether the content must not be logged. @default false */
  isSecret?: boolean | undefined;
}

type Control = Parameters<typeof row>[number];

/** A message of one paragraph without markup, above a row of controls if there are any. */
export const plainMessage = (text: string, ...controls: Control[]): Draft => ({
  blocks: [plainSection(text), ...row(...controls)],
  text: escapeMrkdwn(text),
});

/** The same in Slack's markup. Escape foreign text first. */
export const mrkdwnMessage = (text: string, ...controls: Control[]): Draft => ({
  blocks: [mrkdwnSection(text), ...row(...controls)],
  text,
});

/** A message with a chart; its compact form has none. */
export function chartMessage(blocks: SlackBlock[], text: string): Draft {
  const compact = blocks.filter(({ type }) => type !== "data_visualization");
  return { blocks, text, compact: () => ({ blocks: compact, text }) };
}

/** A request that was refused for a reason that the person can fix; the draft explains it. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly draft: Draft;

  /** @param message A string is shown without markup. */
  constructor(message: Draft | string) {
    const draft = typeof message === "string" ? plainMessage(message) : message;
    super(draft.text);
    this.draft = draft;
  }
}

/** An act that did not succeed, or perhaps not wholly; the draft explains it. */
export class Failed extends Refused {}
