import { setTimeout as wait } from "node:timers/promises";
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
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { type Dispatcher, request } from "undici";
import { faultsIn, isAboutBlocks, isClosedPlace, refusalOf, SlackRefusal } from "./client.js";

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

// Slack's errors if the response URL has expired or is invalid.
const SPENT = new Set(["expired_url", "used_url", "invalid_url", "status 404"]);
const NOT_SHARED =
  "Not shared: Slack accepts no more answers to this message. Run the command again and share the new answer.";

/** The person who gets an answer, and where. */
export interface AnswerPlace {
  readonly userId: string;
  /** The conversation; if it is undefined, their direct messages with the bot. */
  readonly channelId?: string | undefined;
  /** The thread in it, if any. */
  readonly threadTs?: string | undefined;
  readonly responseUrl?: string | undefined;
}

/** Sends the answer to a request. */
export type Answer = ReturnType<typeof createAnswer>;

/** Creates an answer that uses the request's response URL; after that has expired, messages of the bot. */
export function createAnswer(slack: WebClient, { userId, channelId, threadTs, responseUrl }: AnswerPlace, log: Logger) {
  // A response URL leads out of the thread, unless the response names it.
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };

  async function isSent(sent: Promise<unknown>): Promise<boolean> {
    try {
      await sent;
      return true;
    } catch (error) {
      if (!isClosedPlace(error)) throw error;
      return false;
    }
  }

  const isSentHere = async (message: Outgoing): Promise<boolean> =>
    channelId !== undefined &&
    isSent(slack.chat.postEphemeral({ ...message, ...thread, channel: channelId, user: userId }));

  async function toThePerson(message: Outgoing): Promise<void> {
    await slack.chat.postMessage({ ...message, channel: userId, unfurl_links: false });
  }

  /** Sends a message after the response URL has expired: still visible only to the person. */
  async function directly(message: Outgoing): Promise<void> {
    if (!(await isSentHere(message))) await toThePerson(message);
  }

  async function reply(message: Outgoing, thread_ts: string): Promise<void> {
    const isThere =
      channelId !== undefined &&
      (await isSent(slack.chat.postMessage({ ...message, channel: channelId, thread_ts, unfurl_links: false })));
    if (!isThere) await directly(message);
  }

  /** The bot need not be in the channel, so it shares nothing there without the response URL. */
  async function notShared(): Promise<never> {
    throw new Refused(NOT_SHARED);
  }

  async function respond(message: Outgoing, how: object, otherwise: typeof directly): Promise<void> {
    if (responseUrl === undefined) return otherwise(message);
    try {
      await postToResponseUrl(responseUrl, { ...message, ...how, ...thread });
    } catch (error) {
      if (!SPENT.has(refusalOf(error)?.code ?? "")) throw error;
      await otherwise(message);
    }
  }

  async function say(message: Outgoing): Promise<void> {
    if (threadTs === undefined) return respond(message, PRIVATE, directly);
    // In a thread, a response URL sends no new message that only one person sees.
    if (!(await isSentHere(message))) await respond(message, PRIVATE, toThePerson);
  }

  const send = (draft: Draft, how: object, otherwise: typeof directly): Promise<void> =>
    sendDraft(draft, (message) => respond(message, how, otherwise), log);

  return {
    responseUrl,
    threadTs,
    /** Sends a new message that only the person sees. */
    say: (draft: Draft) => sendDraft(draft, say, log),
    /** Replaces the message that contains the used control; sends a new message if there is none. */
    replace: (draft: Draft) => send(draft, { response_type: "ephemeral", replace_original: true }, directly),
    /** Sends a new message for everyone in the channel; throws {@link Refused} if the bot may no longer write there. */
    share: (draft: Draft) => send(draft, { response_type: "in_channel", replace_original: false }, notShared),
    /** Sends a new message for everyone in the thread of a message; only for the person if the bot can't write there. */
    reply: (draft: Draft, ts: string) => sendDraft(draft, (message) => reply(message, ts), log),
    /** Deletes the message that contains the used control. */
    async remove(): Promise<void> {
      if (responseUrl !== undefined) await postToResponseUrl(responseUrl, { delete_original: true });
    },
  };
}

const PRIVATE = { response_type: "ephemeral", replace_original: false };

const TRY_MS = 10_000;
/** The pauses before retries if Slack requests none. */
const PAUSES_MS = [500, 2000, 5000];
/** People don't wait longer than this for an answer. */
const LONGEST_PAUSE_MS = 60_000;

/** Sends a message to a response URL, again if Slack is busy or unreachable; throws {@link SlackRefusal}. */
export async function postToResponseUrl(
  url: string,
  body: object,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const failure = await tryOnce(url, body);
    if (!failure) return;
    const ms = failure.retryAfterMs ?? PAUSES_MS[tries];
    if (!failure.isPassing || ms === undefined || tries >= PAUSES_MS.length) throw failure.error;
    await pause(Math.min(ms, LONGEST_PAUSE_MS));
  }
}

async function tryOnce(
  url: string,
  body: object,
): Promise<{ error: Error; isPassing: boolean; retryAfterMs?: number | undefined } | undefined> {
  let response: Dispatcher.ResponseData;
  let text: string;
  try {
    // Every answer is sent this way, and fetch would cost several times as much CPU.
    response = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TRY_MS),
    });
    text = await response.body.text();
  } catch (cause) {
    // The error doesn't name the URL, with which anyone could answer in this conversation.
    return { error: new Error("Slack's response address was not reached.", { cause }), isPassing: true };
  }
  const { statusCode: status, headers } = response;
  const answer = asObject(text);
  if (status === 200 && answer.ok !== false && answer.error === undefined) return undefined;
  const code = typeof answer.error === "string" ? answer.error : `status ${status}`;
  return {
    error: new SlackRefusal("The answer", code, faultsIn(answer)),
    isPassing: status === 429 || status >= 500,
    retryAfterMs: status === 429 ? (Number(headers["retry-after"]) || 1) * 1000 : undefined,
  };
}

/** Parses Slack's response: "ok", JSON, or only the name of an error. */
function asObject(text: string): { ok?: unknown; error?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Not JSON.
  }
  return /^[a-z_]+$/.test(text) && text !== "ok" ? { error: text } : {};
}

/** A message in the form that Slack accepts. */
export interface Outgoing {
  text: string;
  blocks?: SlackBlock[];
}

/** Sends a draft. If Slack refuses its blocks, logs the faulty block and sends the compact form, then plain text. */
export async function sendDraft<T>(draft: Draft, send: (message: Outgoing) => Promise<T>, log: Logger): Promise<T> {
  const { text, blocks, compact, plain, isSecret = false } = draft;
  for (const form of [() => ({ text, blocks }), ...(compact ? [compact] : [])]) {
    const message = form();
    try {
      return await send(message);
    } catch (error) {
      logRefusal(log, error, isSecret ? [] : message.blocks);
    }
  }
  return send({ text: plain ?? plainTextOf(compact ? compact().blocks : blocks) });
}

/** Posts a draft to a conversation, and returns Slack's answer. */
export const postDraft = (slack: WebClient, channel: string, draft: Draft, log: Logger) =>
  sendDraft(draft, (message) => slack.chat.postMessage({ ...message, channel, unfurl_links: false }), log);

const MAX_LOGGED = 4000;

/** Logs that Slack refused blocks, with the block that it points to; throws any other error. */
function logRefusal(log: Logger, error: unknown, blocks: readonly SlackBlock[]): void {
  const refusal = refusalOf(error);
  if (!refusal || !isAboutBlocks(refusal.code)) throw error;
  const { code, faults } = refusal;
  const pointed = faults.map((fault) => /json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(fault)?.[1]);
  const block = blocks[Number(pointed.find((found) => found !== undefined))];
  const caused = block
    ? { block: JSON.stringify(block).slice(0, MAX_LOGGED) }
    : { blocks: blocks.map(({ type }) => type) };
  log.error(
    { refusal: code, faults, ...caused },
    "Slack refused the blocks of an answer; it is sent in a simpler form",
  );
}

/** Slack splits longer texts into several messages. */
const MAX_TEXT = 3500;

/** The text of blocks, as escaped plain text. */
export function plainTextOf(blocks: readonly unknown[]): string {
  const text = blocks
    .map((block) => readIn(block).trim())
    .filter((part) => part !== "")
    .join("\n");
  return shorten(text, MAX_TEXT);
}

// Blocks with one part per line; the parts of all others are joined on one line.
const LINES = new Set(["rich_text", "rich_text_list", "section", "data_table", "table"]);
// Controls don't work in plain text.
const CONTROLS = new Set(["actions", "button", "static_select", "overflow", "image"]);

function readIn(part: unknown): string {
  if (Array.isArray(part)) return part.map(readIn).filter(Boolean).join("  ");
  if (typeof part !== "object" || part === null) return "";
  const { type, text, elements, fields, rows, title, fallback, value, caption } = part as Record<string, unknown>;
  if (typeof type === "string" && CONTROLS.has(type)) return "";
  if (type === "mrkdwn" && typeof text === "string") return text;
  if (typeof fallback === "string") return escapeMrkdwn(fallback);
  if (type === "raw_number" && (typeof text === "string" || typeof value === "number")) return String(text ?? value);
  if (typeof text === "string") return escapeMrkdwn(text);
  const inner = [text, caption, ...listOf(fields), ...listOf(rows), ...listOf(elements)].map(readIn).filter(Boolean);
  if (type === "data_visualization" && typeof title === "string")
    return `(${escapeMrkdwn(title)}: no chart can be shown)`;
  return inner.join(typeof type === "string" && LINES.has(type) ? "\n" : type === "context" ? "  " : "");
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
