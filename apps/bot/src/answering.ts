import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { StringIndexed } from "@slack/bolt";
import { readKept } from "./features.js";
import { NotInstalledError } from "./installations.js";
import { mayUseBot } from "./policy/decide.js";
import { problemDraft } from "./problem.js";
import { whoConnects } from "./projects/words.js";
import { createRequest, type Parts, type Request, type RequestOptions } from "./request.js";
import { INSTALL_PATH } from "./slack/access.js";
import { postToResponseUrl } from "./slack/answer.js";
import { markedSection, wordsOnly } from "./slack/blocks.js";
import { type Draft, Refused } from "./slack/draft.js";
import { showIn } from "./slack/views.js";
import type { Aside, Jobs } from "./work/jobs.js";

/**
 * Lets the members of the workspace in, and the guests whom the policy names. All that people do comes through here.
 *
 * @throws {Refused} for everybody else, and if Slack does not say who they are.
 */
async function admit(request: Request): Promise<void> {
  const { policy } = request.config;
  const { isGuest } = await request.asker();
  // Members pass without a question about user groups.
  if (!isGuest || mayUseBot(policy, await request.member())) return;
  const words = `${escapeMrkdwn("Guests of this workspace can't use this bot unless its policy names them.")} Ask ${whoConnects(policy)}.`;
  throw new Refused({ blocks: [markedSection(words)], text: words });
}

/** What identifies a request, and for how long a second one with it counts as the same. */
type OnceKey = readonly [key: string, forMs: number];

export interface Work {
  /** Identifies this delivery among all that Slack sends; a second one with it is a repeat. */
  repeat: string;
  /** Identifies what the person wants by it; a second one with it within the time is a double click. */
  wish?: OnceKey | undefined;
  /** Whether it opens a window. @default false */
  isUrgent?: boolean | undefined;
  /** Shows why it was not done. @default a message for the person alone */
  tell?: ((request: Request, draft: Draft) => Promise<void>) | undefined;
  run(request: Request): Promise<void>;
}

// Slack may send the same once more when it has not heard our answer, for an hour at most.
const REPEATS_MS = 60 * 60_000;
// Slack allows 3 s for a window to open. If database and Slack have not answered by then, it opens without them.
const WINDOW_MS = 1000;
// A person waits about this long before they take the bot for dead. What is left of it limits how long a service may take.
const ANSWER_MS = 14_000;
const TOO_MANY =
  "Too many requests of yours, or of your workspace, are waiting, so this one was not taken. Ask again when some of them have been answered.";
const UNKNOWN = "This workspace is not known to the bot any more. Somebody who may install apps has to add it again";
const FAILED = "Something went wrong in the bot before it could look at this. Try again in a minute.";

/** Does what was asked once, if the person may ask for it, and tells them if it fails. */
export function worker(parts: Parts, jobs: Jobs) {
  const { claims } = parts;
  return {
    work(from: RequestOptions, { repeat, wish, isUrgent = false, tell = say, run }: Work): void {
      const answerBy = parts.now() + ANSWER_MS;
      const job = async (aside: Aside): Promise<void> => {
        const request = createRequest(parts, from, { answerBy, aside });
        let opened: Promise<string | undefined> | undefined;
        const late = setTimeout(() => {
          if (isUrgent) opened = request.openWindow(WAITING).catch(() => undefined);
        }, WINDOW_MS);
        try {
          const admission = admit(request);
          // It is awaited below, or not at all for a repeat.
          admission.catch(() => {});
          if (!(await claims.first(repeat, REPEATS_MS))) return;
          if (wish && !(await claims.first(...wish))) return;
          await admission;
          await run(request);
        } catch (error) {
          // A window that is still to be opened is not awaited: while Slack limits its calls, none gets through.
          const viewId = await Promise.race([opened, undefined]);
          await tellProblem(request, error, viewId === undefined ? tell : tellInWindow(viewId, WAITING));
          // Whoever is told to try again can do so at once.
          if (wish) await claims.release(wish[0]).catch(() => {});
        } finally {
          clearTimeout(late);
          request.allowance.end();
        }
      };
      const { teamId, userId } = from;
      if (jobs.add(job, { urgent: isUrgent, of: teamId, by: userId })) return;
      const refuse = async (aside: Aside): Promise<void> => {
        const request = createRequest(parts, from, { answerBy, aside });
        await tellProblem(request, new Refused(wordsOnly(TOO_MANY)), tell);
        request.allowance.end();
      };
      const isTold = jobs.add(refuse, { of: `refused ${teamId}`, by: userId });
      parts.log.warn({ teamId, userId, isTold }, "a request was refused, because too many are unfinished");
    },

    /** Tells somebody whose request no listener has got: Slack's address for answers needs no token. */
    async tellUnanswered(error: Error, body: StringIndexed, publicUrl: string | undefined): Promise<void> {
      // A window has no address of its own: it keeps that of the message that it was opened from.
      const url: unknown = body.response_url ?? readKept(String(body.view?.private_metadata)).responseUrl;
      if (typeof url !== "string") return;
      const text = !isCausedBy(error, NotInstalledError)
        ? FAILED
        : publicUrl
          ? `${UNKNOWN}: ${publicUrl}${INSTALL_PATH}`
          : `${UNKNOWN}.`;
      await postToResponseUrl({ text, response_type: "ephemeral", replace_original: false }, { url });
    },
  };
}

const WAITING = "Media Ops";

const say = (request: Request, draft: Draft): Promise<void> => request.answer.say(draft);

/** Shows a draft in a window; as a message if the person has closed it. */
export const tellInWindow =
  (viewId: string, title: string) =>
  async (request: Request, draft: Draft): Promise<void> => {
    // Buttons of a message would answer in a conversation, which nobody sees behind the window.
    const blocks = draft.blocks.filter(({ type }) => type !== "actions");
    if (!(await showIn(request, viewId, { title, blocks }))) await say(request, draft);
  };

async function tellProblem(request: Request, error: unknown, tell: NonNullable<Work["tell"]>): Promise<void> {
  const draft = problemDraft(error, request);
  try {
    await tell(request, draft);
  } catch (failure) {
    request.log.error({ err: failure }, "a person could not be told what went wrong");
  }
}

/** Slack's libraries keep what they wrap as `original`. */
function isCausedBy(error: unknown, cause: new (where: string) => Error): boolean {
  if (error instanceof cause) return true;
  if (!(error instanceof Error)) return false;
  const inner = "original" in error ? error.original : error.cause;
  return inner !== undefined && isCausedBy(inner, cause);
}
