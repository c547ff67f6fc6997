import { setTimeout as wait } from "node:timers/promises";
import { shorten } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { type Dispatcher, request } from "undici";
import { type Draft, Refused } from "./blocks.js";
import { faultsIn, isAboutBlocks, isClosedPlace, refusalOf, SlackRefusal } from "./client.js";

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
export function logRefusal(log: Logger, error: unknown, blocks: readonly SlackBlock[]): void {
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
