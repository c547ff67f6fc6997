import { setTimeout as wait } from "node:timers/promises";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { request } from "undici";
import { faultsIn, refusalOf, SlackRefusal } from "./client.js";
import { type Draft, type Outgoing, Refused, sendDraft } from "./draft.js";

/** How what is found reaches the person who asked. */
export interface Answer {
  /** Slack's address for answers; a window keeps it for the answer to its form. */
  readonly responseUrl: string | undefined;
  /** A new message, for the asker alone. */
  say(draft: Draft): Promise<void>;
  /** Replaces the message with the control that was used; a new message if there is none. */
  replace(draft: Draft): Promise<void>;
  /**
   * A new message for everyone in the channel.
   *
   * @throws {Refused} if Slack no longer lets the bot write there.
   */
  share(draft: Draft): Promise<void>;
  /** Deletes the message with the control that was used. */
  remove(): Promise<void>;
}

export interface AnswerOptions {
  slack: WebClient;
  userId: string;
  /** The conversation; none from the app's home. */
  channelId?: string | undefined;
  responseUrl?: string | undefined;
  log: Logger;
}

// Slack's errors if the address has expired or is invalid.
const SPENT = new Set(["expired_url", "used_url", "invalid_url", "status 404"]);
// Slack's errors if the bot can't write in a conversation, or the person isn't in it.
const ELSEWHERE = new Set([
  "not_in_channel",
  "channel_not_found",
  "user_not_in_channel",
  "is_archived",
  "method_not_supported_for_channel_type",
]);

const NOT_SHARED =
  "Not shared: Slack accepts no more answers to this message. Run the command again and share the new answer.";

/** Answers at the address of the request; once that has expired, with messages of the bot. */
export function createAnswer({ slack, userId, channelId, responseUrl, log }: AnswerOptions): Answer {
  const respond = (how: object, otherwise: (message: Outgoing) => Promise<void>) => async (message: Outgoing) => {
    if (responseUrl === undefined) return otherwise(message);
    try {
      await postToResponseUrl({ ...message, ...how }, { url: responseUrl });
    } catch (error) {
      if (!SPENT.has(refusalOf(error)?.code ?? "")) throw error;
      await otherwise(message);
    }
  };

  /** After the address has expired: still for the person alone. */
  async function directly(message: Outgoing): Promise<void> {
    try {
      if (channelId === undefined) return await toThePerson(message);
      await slack.chat.postEphemeral({ ...message, channel: channelId, user: userId });
    } catch (error) {
      if (!ELSEWHERE.has(refusalOf(error)?.code ?? "")) throw error;
      await toThePerson(message);
    }
  }

  async function toThePerson(message: Outgoing): Promise<void> {
    await slack.chat.postMessage({ ...message, channel: userId, unfurl_links: false });
  }

  /** The bot is not in the channel, so that it cannot write there without the address. */
  async function notShared(): Promise<never> {
    throw new Refused(NOT_SHARED);
  }

  const privately = { response_type: "ephemeral", replace_original: false };
  return {
    responseUrl,
    say: (draft) => sendDraft(draft, respond(privately, directly), log),
    replace: (draft) =>
      sendDraft(draft, respond({ response_type: "ephemeral", replace_original: true }, directly), log),
    share: (draft) =>
      sendDraft(draft, respond({ response_type: "in_channel", replace_original: false }, notShared), log),
    async remove() {
      if (responseUrl !== undefined) await postToResponseUrl({ delete_original: true }, { url: responseUrl });
    },
  };
}

/** Slack's address for answers to one request: 5 messages within 30 minutes. */
export interface ResponseUrlOptions {
  url: string;
  /** Waits so many milliseconds. @default as long in real time */
  pause?: (ms: number) => Promise<unknown>;
}

const TRY_MS = 10_000;
/** The pauses before further tries, if Slack names none. */
const PAUSES_MS = [500, 2000, 5000];
/** Nobody waits longer than this for an answer. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Sends a message to the address; waits and tries again if Slack is busy or unreachable.
 *
 * @throws {SlackRefusal} if Slack refuses it.
 */
export async function postToResponseUrl(body: object, { url, pause = wait }: ResponseUrlOptions): Promise<void> {
  for (let tries = 0; ; tries++) {
    const attempt = await tryOnce(url, body);
    if (attempt.ok) return;
    const ms = attempt.retryAfterMs ?? PAUSES_MS[tries];
    if (!attempt.isPassing || ms === undefined || tries >= PAUSES_MS.length) throw attempt.error;
    await pause(Math.min(ms, LONGEST_PAUSE_MS));
  }
}

type Attempt = { ok: true } | { ok: false; error: Error; isPassing: boolean; retryAfterMs?: number | undefined };

async function tryOnce(url: string, body: object): Promise<Attempt> {
  let status: number;
  let text: string;
  let retryAfter: number;
  try {
    // Not by fetch, which costs several times as much, and each answer goes this way.
    const response = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TRY_MS),
    });
    status = response.statusCode;
    retryAfter = Number(response.headers["retry-after"]) || 1;
    text = await response.body.text();
  } catch (cause) {
    // Not named: the address lets anyone who has it answer in this conversation.
    return { ok: false, error: new Error("Slack's response address was not reached.", { cause }), isPassing: true };
  }
  const answer = asObject(text);
  if (status === 200 && answer.ok !== false && answer.error === undefined) return { ok: true };
  const code = typeof answer.error === "string" ? answer.error : `status ${status}`;
  return {
    ok: false,
    error: new SlackRefusal("The answer", code, faultsIn(answer)),
    isPassing: status === 429 || status >= 500,
    ...(status === 429 && { retryAfterMs: retryAfter * 1000 }),
  };
}

/** Slack answers "ok", or JSON, or the name of an error alone. */
function asObject(text: string): { ok?: unknown; error?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Not JSON, so it is "ok" or the name of an error.
  }
  return /^[a-z_]+$/.test(text) && text !== "ok" ? { error: text } : {};
}
