import { randomBytes } from "node:crypto";
import { escapeMrkdwn, formatProblem } from "@media-ops/formatters/slack";
import { MediaBadRequestError, MediaError } from "@media-ops/sdk";
import { NoRoomError, ServiceBusyError, ServiceSilentError } from "./connections/connections.js";
import { hostOf, projectLabel } from "./projects/words.js";
import type { IncomingRequest, Request } from "./request.js";
import {
  type Draft,
  mrkdwnMessage,
  plainMessage,
  Refused,
  slackDate,
  smallPrint,
  withoutButtons,
} from "./slack/answer.js";
import { refusalOf } from "./slack/client.js";
import { type Modal, showIn } from "./slack/views.js";

// Slack's errors if a window is opened more than 3 s after the request.
const TOO_LATE = new Set(["expired_trigger_id", "trigger_expired"]);

const NO_ROOM =
  "The service's answer is too large to read now, next to what else the bot is reading. Try again in a minute, or use the command line, media logs, which reads more.";

/** The error, its cause and the next step, for the person who asked; the details are logged. */
export function problemDraft(error: unknown, { prefix, log }: Pick<IncomingRequest, "prefix" | "log">): Draft {
  if (error instanceof Refused) return error.draft;
  if (TOO_LATE.has(refusalOf(error)?.code ?? "")) {
    log.warn({ err: error }, "a window was opened too late for Slack");
    return plainMessage("The window did not open within the 3 s that Slack allows. Try again.");
  }
  if (error instanceof NoRoomError) {
    log.warn({ err: error }, "an answer was not read, because too much is in memory already");
    return plainMessage(NO_ROOM);
  }
  if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) {
    log.warn({ err: error }, "a request was not sent to a media service");
    return mrkdwnMessage(notSentText(error));
  }
  const reference = randomBytes(4).toString("hex");
  // The person can correct a bad request; all other errors are for the operator.
  if (error instanceof MediaBadRequestError) log.warn({ err: error, reference }, "the media service refused a request");
  else if (error instanceof MediaError) log.error({ err: error, reference }, "the media service gave no answer");
  else log.error({ err: error, reference }, "a request failed");
  return formatProblem(error, { next: nextSteps(error, prefix, reference), isBrief: true });
}

/** The modal that `make` returns, or one with the error; without buttons, which would answer behind the window. */
export async function orProblem(title: string, request: IncomingRequest, make: () => Promise<Modal>): Promise<Modal> {
  try {
    return await make();
  } catch (error) {
    return { title, blocks: withoutButtons(problemDraft(error, request).blocks) };
  }
}

/** Shows in a window what `make` returns, or why it failed. */
export async function fillWindow(
  viewId: string,
  title: string,
  request: IncomingRequest,
  make: () => Promise<Modal>,
): Promise<void> {
  await showIn(request, viewId, await orProblem(title, request, make));
}

/** Opens a window before anything else, because Slack allows 3 s for that, and then fills it. */
export async function openFilled(title: string, request: IncomingRequest, make: () => Promise<Modal>): Promise<void> {
  await fillWindow(await request.openWindow(title), title, request, make);
}

/** Why a request was not sent to a service, in Slack's markup. */
export function notSentText(error: ServiceSilentError | ServiceBusyError): string {
  const { projectId, baseUrl } = error.service;
  const service = `${escapeMrkdwn(projectLabel(projectId))}'s service at ${escapeMrkdwn(hostOf({ baseUrl }))}`;
  if (error instanceof ServiceBusyError) {
    return error.waitedMs === 0
      ? `Too many requests are waiting for ${service}. Try again when some of them have been answered.`
      : `Too many requests are waiting for ${service}: this one was given up after ${inSeconds(error.waitedMs)}. Try again in a minute.`;
  }
  const { silentForMs, lastTriedAt, retryInMs } = error.silence;
  return `${service} hasn't answered for ${inSeconds(silentForMs)}. Last tried: ${slackDate(lastTriedAt)}. Try again in ${inSeconds(retryInMs)}.`;
}

const inSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

function nextSteps(error: unknown, prefix: string, reference: string) {
  const refusal = refusalOf(error);
  const checkAddress = `Check the address of the service: ${prefix} projects shows it, ${prefix} connect changes it.`;
  return {
    Unauthorized: `The key was revoked, or belongs to another service. Someone who may connect projects can enter a valid one: ${prefix} connect.`,
    Forbidden: `The key belongs to another project. Connect this project with its own key: ${prefix} connect.`,
    NotFound: checkAddress,
    Connection: `Check that the service runs, and its address: ${prefix} projects shows it. ${prefix} status tries it again.`,
    Timeout: `Try again in a minute: ${prefix} status shows whether it answers.`,
    Response: checkAddress,
    Unknown: refusal
      ? `Slack refused what the bot did (${refusal.code}). Tell the bot's operator; the log has it under ${reference}.`
      : `Try again. If it keeps failing, tell the bot's operator; the log has it under ${reference}.`,
  };
}

/** Sends a message that only the person sees. */
export const say = (request: IncomingRequest, draft: Draft): Promise<void> => request.answer.say(draft);

/** Shows a draft in a window, or as a message if the person has closed the window. */
export const showInWindow =
  (viewId: string, title: string) =>
  async (request: IncomingRequest, draft: Draft): Promise<void> => {
    if (!(await showIn(request, viewId, { title, blocks: withoutButtons(draft.blocks) }))) await say(request, draft);
  };

/** Shows an answer in a window, and as a message, whose `place` the window names: only there its buttons work. */
export async function answerInWindow(
  { id, title, place }: { id: string; title: string; place: string },
  request: Request,
  run: () => Promise<Draft | undefined>,
): Promise<void> {
  const draft = await run().catch((error: unknown) => problemDraft(error, request));
  if (!draft) return;
  await request.answer.say(draft);
  // Windows accept neither tables nor charts.
  const { blocks } = draft.compact?.() ?? draft;
  const words = smallPrint(`The same answer, with buttons for more, is ${place}.`);
  await showIn(request, id, { title, blocks: [...withoutButtons(blocks), words] });
}

/** Shows why a request failed. */
export async function reportProblem(request: IncomingRequest, error: unknown, show: typeof say): Promise<void> {
  const draft = problemDraft(error, request);
  try {
    await show(request, draft);
  } catch (failure) {
    request.log.error({ err: failure }, "failed to show a person what went wrong");
  }
}
