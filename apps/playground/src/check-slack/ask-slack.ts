import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../json.js";

/** A message or view (modal or home) that the bot shows. */
export interface Piece {
  readonly name: string;
  readonly kind: "message" | "view";
  readonly payload: Readonly<Record<string, unknown>>;
}

interface CheckOptions {
  readonly apiUrl?: string | undefined;
  /** Waits for the given milliseconds. @default real time */
  readonly pause?: (ms: number) => Promise<unknown>;
  say(text: string): void;
}

class NotAskedError extends Error {
  override readonly name = "NotAskedError";
}

// Slack documents no limit for this method. Most methods allow one call per second.
const PACE_MS = 1000;
const TRIES = 5;
const TRY_MS = 15_000;
/** The pause before a retry, unless Slack specifies one. */
const AGAIN_MS = 5000;
const LONGEST_MS = 120_000;

/** Prints the objections of Slack's `blocks.validate`. Returns 1 if there are any, and 2 if Slack could not be asked. */
export async function checkSlack(
  pieces: readonly Piece[],
  { apiUrl = "https://slack.com/api", pause = wait, say }: CheckOptions,
): Promise<0 | 1 | 2> {
  const url = `${apiUrl.replace(/\/+$/, "")}/blocks.validate`;
  const answerTo = async ({ kind, payload }: Piece): Promise<string> => {
    const body = new URLSearchParams({ [kind]: JSON.stringify(payload) });
    let problem = "";
    for (let tries = 1; tries <= TRIES; tries++) {
      let againMs = AGAIN_MS;
      try {
        const response = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(TRY_MS) });
        if (response.ok) return await response.text();
        problem = `status ${response.status}`;
        againMs = Number(response.headers.get("retry-after")) * 1000 || AGAIN_MS;
        await response.body?.cancel();
      } catch (error) {
        const cause = error instanceof Error ? (error.cause ?? error) : error;
        problem = cause instanceof Error ? cause.message || cause.name : String(cause);
      }
      if (tries < TRIES) await pause(Math.min(againMs, LONGEST_MS));
    }
    throw new NotAskedError(`${url} gave no answer in ${TRIES} tries: ${problem}.`);
  };
  const views = pieces.filter(({ kind }) => kind === "view").length;
  say(`Asking Slack about ${pieces.length - views} messages and ${views} modals and homes …`);
  try {
    let wrong = 0;
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) await pause(PACE_MS);
      const objections = objectionsIn(await answerTo(piece), piece.name, url);
      for (const objection of objections) say(`✗ ${piece.name}\n  ${objection}`);
      if (objections.length > 0) wrong += 1;
    }
    say(wrong === 0 ? "✓ Slack accepts all of them." : `Slack objects to ${wrong} of ${pieces.length}.`);
    return wrong === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NotAskedError)) throw error;
    say(`Slack could not be asked: ${error.message} Check the network, or SLACK_API_URL.`);
    return 2;
  }
}

const OBJECTS = new Set(["invalid_blocks", "invalid_message", "invalid_view"]);

const answerSchema = z.object({
  ok: z.boolean(),
  error: z.string().default(""),
  errors: z
    .array(z.object({ pointer: z.string().optional(), message: z.string().optional(), code: z.string().optional() }))
    .default([]),
});

/** Returns the objections in an answer, each with a JSON pointer and a sentence. */
function objectionsIn(text: string, piece: string, url: string): string[] {
  const answer = answerSchema.safeParse(parseJson(text)).data;
  if (!answer) {
    throw new NotAskedError(`${url} did not answer as Slack does, but with ${JSON.stringify(text.slice(0, 100))}.`);
  }
  const { ok, error, errors } = answer;
  if (ok) return [];
  if (!OBJECTS.has(error)) throw new NotAskedError(`${url} did not check ${piece}, but answered "${error}".`);
  const found = errors.map(({ pointer, message, code }) => `${pointer || "/"}: ${message ?? code ?? error}`);
  return found.length > 0 ? found : [`/: ${error}`];
}
