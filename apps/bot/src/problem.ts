import { randomBytes } from "node:crypto";
import { escapeMrkdwn, formatProblem } from "@media-ops/formatters/slack";
import { MediaBadRequestError, MediaError } from "@media-ops/sdk";
import { NoRoomError } from "./connections/read-budget.js";
import { ServiceBusyError, ServiceSilentError } from "./connections/services.js";
import { hostOf, label } from "./projects/words.js";
import type { Request } from "./request.js";
import { markedSection, slackDate, wordsOnly } from "./slack/blocks.js";
import { refusalOf } from "./slack/client.js";
import { type Draft, Refused } from "./slack/draft.js";
import type { Modal } from "./slack/views.js";

// What Slack says where a window is opened more than 3 s after it was asked for.
const TOO_LATE = new Set(["expired_trigger_id", "trigger_expired"]);

const NO_ROOM =
  "The service's answer is too big to be read now, beside what else the bot is reading. Try again in a minute; the command line, media logs, takes more.";

/** What happened, why, and what to do next, for whoever asked; the details go to the log. */
export function problemDraft(error: unknown, { prefix, log }: Pick<Request, "prefix" | "log">): Draft {
  if (error instanceof Refused) return error.draft;
  if (TOO_LATE.has(refusalOf(error)?.code ?? "")) {
    log.warn({ err: error }, "a window was opened too late for Slack");
    return wordsOnly("The window did not open: Slack allows 3 s for it, and that was not enough. Ask once more.");
  }
  if (error instanceof NoRoomError) {
    log.warn({ err: error }, "an answer was not read, as too much is in memory already");
    return wordsOnly(NO_ROOM);
  }
  if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) {
    log.warn({ err: error }, "a request was not sent to a media service");
    const words = notSentWords(error);
    return { blocks: [markedSection(words)], text: words };
  }
  const reference = randomBytes(4).toString("hex");
  // What the service refuses is for whoever asked; all else is for whoever runs the bot.
  if (error instanceof MediaBadRequestError) log.warn({ err: error, reference }, "the media service refused a request");
  else if (error instanceof MediaError) log.error({ err: error, reference }, "the media service gave no answer");
  else log.error({ err: error, reference }, "a request failed");
  const { next } = wordsFor(error, prefix, reference);
  return formatProblem(error, { next, isBrief: true });
}

/** Why a service was not asked, in Slack's markup. */
export function notSentWords(error: ServiceSilentError | ServiceBusyError): string {
  const { projectId, baseUrl } = error.service;
  const service = `${escapeMrkdwn(label(projectId))}'s service at ${escapeMrkdwn(hostOf({ baseUrl }))}`;
  if (error instanceof ServiceBusyError) {
    return error.waitedMs === 0
      ? `Too many requests are waiting for ${service}. Ask again when some of them have been answered.`
      : `Too many requests are waiting for ${service}: this one was given up after ${inSeconds(error.waitedMs)}. Try again in a minute.`;
  }
  const { silentForMs, lastTriedAt, retryInMs } = error.silence;
  return `${service} hasn't answered for ${inSeconds(silentForMs)}. Last tried: ${slackDate(lastTriedAt)}. Ask again in ${inSeconds(retryInMs)} to try it once more.`;
}

/** What is worked out for a window; if that fails, why: nobody waits before a window for nothing. */
export async function orProblem(title: string, request: Request, make: () => Promise<Modal>): Promise<Modal> {
  try {
    return await make();
  } catch (error) {
    return { title, blocks: problemDraft(error, request).blocks };
  }
}

const inSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

function wordsFor(error: unknown, prefix: string, reference: string) {
  const refusal = refusalOf(error);
  const unknown = refusal
    ? `Slack refused what the bot did (${refusal.code}). Tell whoever runs the bot; in its log this is ${reference}.`
    : `Try again. If it stays so, tell whoever runs the bot; in its log this is ${reference}.`;
  return {
    next: {
      Unauthorized: `The key was revoked, or is not one of this service. Someone who may connect projects gives it a good one: ${prefix} connect.`,
      Forbidden: `The key belongs to another project. Connect this project with a key of its own: ${prefix} connect.`,
      NotFound: `Check the address of the service: ${prefix} projects shows it, ${prefix} connect changes it.`,
      Connection: `Check that the service runs, and its address: ${prefix} projects shows it. ${prefix} status tries it again.`,
      Timeout: `Try again in a minute: ${prefix} status shows how it is.`,
      Response: `Check the address of the service: ${prefix} projects shows it, ${prefix} connect changes it.`,
      Unknown: unknown,
    },
  };
}
