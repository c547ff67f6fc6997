import { setTimeout } from "node:timers/promises";
import type { StringIndexed } from "@slack/bolt";
import { readKept } from "./features.js";
import { NotInstalledError } from "./installations.js";
import { problemDraft } from "./problem.js";
import {
  admit,
  type BotParts,
  createRequest,
  type IncomingRequest,
  type Request,
  type RequestSource,
} from "./request.js";
import { INSTALL_PATH } from "./slack/access.js";
import { postToResponseUrl } from "./slack/answer.js";
import { type Draft, Refused, smallPrint, withoutButtons } from "./slack/blocks.js";
import { showIn } from "./slack/views.js";
import type { Aside, Jobs } from "./work/jobs.js";

/** The work for one request, and how its repeats are recognized. */
export interface RequestWork {
  /** The deduplication key of this delivery: a second delivery with it is a retry by Slack. */
  repeat: string;
  /** The deduplication key of the person's action: a second action with it within `forMs` is a double click. */
  once?: { readonly key: string; readonly forMs: number } | undefined;
  /** Whether the work opens a window. @default false */
  isUrgent?: boolean | undefined;
  /** Shows why the work failed. @default a message that only the person sees */
  showProblem?: ((request: IncomingRequest, draft: Draft) => Promise<void>) | undefined;
  /** Records that the work did not begin: it is a repeat, or the bot does not serve the person. @default nothing */
  refused?: ((request: IncomingRequest, why: string) => Promise<void> | undefined) | undefined;
  run(request: Request): Promise<void>;
}

// Slack may send a request again for up to an hour if it received no acknowledgement.
const REPEATS_MS = 60 * 60_000;
// Slack allows 3 s to open a window. If the database and Slack have not answered by then, it opens without them.
const WINDOW_MS = 1000;
const OPENS_MS = 2000;
// After about this long, people assume that the bot is down. Service calls have to end within it.
const ANSWER_MS = 14_000;
const WAITING = "Media Ops";
const TOO_MANY =
  "Too many requests of yours, or of your workspace, are waiting, so this one was not taken. Try again when some of them have been answered.";
const REPEATED = "The same request was sent again.";
const NOT_SERVED = "The bot does not serve this person.";
const UNKNOWN_WORKSPACE = "The bot no longer knows this workspace. Someone who may install apps has to add it again";
const FAILED = "The bot failed before it could read this request. Try again in a minute.";

/** Queues the work for a request and runs it once, if the person may use the bot. If it fails, the person sees why. */
export function takeRequest(parts: BotParts, jobs: Jobs, source: RequestSource, work: RequestWork): void {
  const { repeat, once, isUrgent = false, showProblem = say, refused, run } = work;
  const { claims } = parts;
  const answerBy = parts.now() + ANSWER_MS;
  const job = async (aside: Aside): Promise<void> => {
    const request = createRequest(parts, source, { answerBy, aside });
    let opened: Promise<string | undefined> | undefined;
    const late = globalThis.setTimeout(() => {
      if (isUrgent) opened = request.openWindow(WAITING).catch(() => undefined);
    }, WINDOW_MS);
    try {
      const admission = admit(request, source);
      // The promise is awaited below, or never for a repeat: without a handler, its rejection would end the process.
      admission.catch(() => {});
      if (!(await claims.first(repeat, REPEATS_MS))) return await refused?.(request, REPEATED);
      if (once && !(await claims.first(once.key, once.forMs))) return await refused?.(request, REPEATED);
      const admitted = await admission.catch(async (error: unknown) => {
        await refused?.(request, NOT_SERVED);
        throw error;
      });
      await run(admitted);
    } catch (error) {
      // A window that is opening would stay empty. While Slack limits the bot's calls, it can't open.
      const viewId = await Promise.race([opened, opened && setTimeout(OPENS_MS, undefined, { ref: false })]);
      await reportProblem(request, error, viewId === undefined ? showProblem : showInWindow(viewId, WAITING));
      // The person can then try again at once.
      if (once) await claims.release(once.key).catch(() => {});
    } finally {
      clearTimeout(late);
      request.allowance.end();
    }
  };
  const { teamId, userId } = source;
  if (jobs.add(job, { urgent: isUrgent, of: teamId, by: userId })) return;
  const refuse = async (aside: Aside): Promise<void> => {
    const request = createRequest(parts, source, { answerBy, aside });
    await refused?.(request, TOO_MANY);
    await reportProblem(request, new Refused(TOO_MANY), showProblem);
    request.allowance.end();
  };
  const isReported = jobs.add(refuse, { of: `refused ${teamId}`, by: userId });
  parts.log.warn({ teamId, userId, isReported }, "a request was refused, because too many are unfinished");
}

/** Answers a person if their request reached no listener. Slack's response URL needs no token. */
export async function answerUnhandled(error: Error, body: StringIndexed, publicUrl: string | undefined): Promise<void> {
  // A window has no response URL: it keeps that of the message that it was opened from.
  const url: unknown = body.response_url ?? readKept(String(body.view?.private_metadata)).responseUrl;
  if (typeof url !== "string") return;
  const unknown = publicUrl ? `${UNKNOWN_WORKSPACE}: ${publicUrl}${INSTALL_PATH}` : `${UNKNOWN_WORKSPACE}.`;
  const text = isCausedBy(error, NotInstalledError) ? unknown : FAILED;
  await postToResponseUrl(url, { text, response_type: "ephemeral", replace_original: false });
}

const say = (request: IncomingRequest, draft: Draft): Promise<void> => request.answer.say(draft);

/** Shows a draft in a window, or as a message if the person has closed the window. */
export const showInWindow =
  (viewId: string, title: string) =>
  async (request: IncomingRequest, draft: Draft): Promise<void> => {
    if (!(await showIn(request, viewId, { title, blocks: withoutButtons(draft.blocks) }))) await say(request, draft);
  };

/**
 * Shows an answer in a window. It is also sent as a message, because its buttons replace a message, which isn't possible
 * in a window.
 *
 * @param place Where the message is, in Slack's markup.
 */
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

async function reportProblem(
  request: IncomingRequest,
  error: unknown,
  show: NonNullable<RequestWork["showProblem"]>,
): Promise<void> {
  const draft = problemDraft(error, request);
  try {
    await show(request, draft);
  } catch (failure) {
    request.log.error({ err: failure }, "failed to show a person what went wrong");
  }
}

/** Whether an error has this cause. Slack's libraries keep the error that they wrap as `original`. */
function isCausedBy(error: unknown, cause: new (where: string) => Error): boolean {
  if (error instanceof cause) return true;
  if (!(error instanceof Error)) return false;
  const inner = "original" in error ? error.original : error.cause;
  return inner !== undefined && isCausedBy(inner, cause);
}
