import type { StringIndexed } from "@slack/bolt";
import { readKept } from "./features.js";
import { NotInstalledError } from "./installations/installation-store.js";
import type { Parts } from "./parts.js";
import { problemDraft } from "./problem.js";
import { createRequest, type Request, type RequestOptions } from "./request.js";
import { INSTALL_PATH } from "./slack/access.js";
import { postToResponseUrl } from "./slack/response-url.js";
import { wordsOnly } from "./slack/sections.js";
import type { Jobs } from "./work/jobs.js";

/** A wish by what tells it from others, and how long a second one counts as the same. */
type OnceKey = readonly [key: string, forMs: number];

export interface Work {
  /** What tells it from all else that Slack sends; the same once more is a repeat. */
  repeat: string;
  /** What somebody wants by it; the same wish within the time is a double click. */
  wish?: OnceKey | undefined;
  /** Whether it opens a window. @default false */
  isUrgent?: boolean | undefined;
  /** Whether the person belongs to another workspace. @default false */
  isForeign?: boolean | undefined;
  run(request: Request): Promise<void>;
}

// Slack may send the same once more when it has not heard our answer, for an hour at most.
const REPEATS_MS = 60 * 60_000;
const FOREIGN = "Only members of the workspace that this bot serves can use it.";
const UNKNOWN = "This workspace is not known to the bot any more. Somebody who may install apps has to add it again";
const FAILED = "Something went wrong in the bot before it could look at this. Try again in a minute.";

/** What does what was asked once, and tells the person where it fails. */
export function worker(parts: Parts, jobs: Jobs) {
  const { claims } = parts;
  return {
    work(from: RequestOptions, { repeat, wish, isUrgent = false, isForeign = false, run }: Work): void {
      const job = async (): Promise<void> => {
        const request = createRequest(parts, from);
        try {
          if (!(await claims.first(repeat, REPEATS_MS))) return;
          if (wish && !(await claims.first(...wish))) return;
          if (isForeign) await request.answer.say(wordsOnly(FOREIGN));
          else await run(request);
        } catch (error) {
          await tell(request, error);
          // Whoever is told to try again can do so at once.
          if (wish) await claims.release(wish[0]).catch(() => {});
        }
      };
      jobs.add(job, { urgent: isUrgent, of: from.teamId });
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

async function tell(request: Request, error: unknown): Promise<void> {
  const draft = problemDraft(error, request);
  try {
    await request.answer.say(draft);
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
