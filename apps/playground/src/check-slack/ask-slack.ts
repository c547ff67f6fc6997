import { setTimeout as wait } from "node:timers/promises";

/** Something that the bot shows: a message, or a view, which is a modal or the home. */
export interface Piece {
  /** Its origin: `/media help: a message`. */
  readonly name: string;
  readonly kind: "message" | "view";
  /** As it is sent to Slack. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface AskOptions {
  /** The address of Slack's Web API. @default "https://slack.com/api" */
  readonly apiUrl?: string | undefined;
  /** Waits for some milliseconds. @default real time */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Something that Slack objects to in a piece. */
interface Objection {
  readonly piece: string;
  /** A JSON pointer into the piece; empty if Slack sends none. */
  readonly pointer: string;
  readonly message: string;
}

/** Slack could not be asked. */
class NotAskedError extends Error {
  override readonly name = "NotAskedError";
}

// Slack documents no limit for this method; most methods allow a call per second.
const PACE_MS = 1000;
const TRIES = 5;
const TRY_MS = 15_000;
/** The pause before a retry, if Slack names none. */
const AGAIN_MS = 5000;
const LONGEST_MS = 120_000;

/**
 * What Slack's own validator, `blocks.validate`, objects to. It needs no token.
 *
 * @throws {NotAskedError} if it gives no usable answer.
 */
async function askSlack(
  pieces: readonly Piece[],
  { apiUrl = "https://slack.com/api", pause = wait }: AskOptions = {},
): Promise<Objection[]> {
  const url = `${apiUrl.replace(/\/+$/, "")}/blocks.validate`;
  const objections: Objection[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await pause(PACE_MS);
    objections.push(...objectionsIn(await answerTo(piece, url, pause), piece.name, url));
  }
  return objections;
}

async function answerTo(
  { kind, payload }: Piece,
  url: string,
  pause: NonNullable<AskOptions["pause"]>,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const attempt = await tryOnce(url, new URLSearchParams({ [kind]: JSON.stringify(payload) }));
    if ("text" in attempt) return attempt.text;
    if (tries === TRIES) throw new NotAskedError(`${url} gave no answer in ${TRIES} tries: ${attempt.why}.`);
    await pause(Math.min(attempt.againMs, LONGEST_MS));
  }
}

async function tryOnce(
  url: string,
  body: URLSearchParams,
): Promise<{ readonly text: string } | { readonly why: string; readonly againMs: number }> {
  try {
    const response = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(TRY_MS) });
    const text = await response.text();
    if (response.ok) return { text };
    const seconds = Number(response.headers.get("retry-after"));
    return { why: `status ${response.status}`, againMs: seconds > 0 ? seconds * 1000 : AGAIN_MS };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { why: cause instanceof Error ? cause.message || cause.name : String(cause), againMs: AGAIN_MS };
  }
}

/** Slack's errors for a payload with faults. */
const OBJECTS = new Set(["invalid_blocks", "invalid_message", "invalid_view"]);

function objectionsIn(text: string, piece: string, url: string): Objection[] {
  const answer = read(text);
  if (isObject(answer) && answer.ok === true) return [];
  if (!isObject(answer) || typeof answer.error !== "string") {
    throw new NotAskedError(`${url} did not answer as Slack does, but with ${JSON.stringify(text.slice(0, 100))}.`);
  }
  const { error, errors } = answer;
  if (!OBJECTS.has(error)) throw new NotAskedError(`${url} did not check ${piece}, but answered "${error}".`);
  const found = (Array.isArray(errors) ? errors : []).filter(isObject).map(({ pointer, message, code }) => ({
    piece,
    pointer: typeof pointer === "string" ? pointer : "",
    message: String(message ?? code ?? error),
  }));
  return found.length > 0 ? found : [{ piece, pointer: "", message: error }];
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface CheckOptions extends AskOptions {
  say(text: string): void;
}

/** Asks Slack about all pieces, and prints its objections. Returns the exit code: 1 if it objects, 2 if it was not asked. */
export async function checkSlack(pieces: readonly Piece[], { say, ...options }: CheckOptions): Promise<0 | 1 | 2> {
  const views = pieces.filter(({ kind }) => kind === "view").length;
  say(`Asking Slack about ${pieces.length - views} messages and ${views} modals and homes …`);
  try {
    const objections = await askSlack(pieces, options);
    for (const { piece, pointer, message } of objections) say(`✗ ${piece}\n  ${pointer || "/"}: ${message}`);
    const wrong = new Set(objections.map(({ piece }) => piece)).size;
    say(wrong === 0 ? "✓ Slack accepts all of them." : `Slack objects to ${wrong} of ${pieces.length}.`);
    return wrong === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NotAskedError)) throw error;
    say(`Slack could not be asked: ${error.message} Check the network, or SLACK_API_URL.`);
    return 2;
  }
}
