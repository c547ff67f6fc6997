import { setTimeout as wait } from "node:timers/promises";
import { request } from "undici";
import { faultsIn, SlackRefusal } from "./refusal.js";

/** The address that Slack gives with each command and each press of a button: 5 messages within 30 minutes. */
export interface ResponseUrlOptions {
  url: string;
  /** Waits so many milliseconds. @default as long in real time */
  pause?: (ms: number) => Promise<unknown>;
}

const TRY_MS = 10_000;
/** How long is waited before each further try where Slack does not say. */
const PAUSES_MS = [500, 2000, 5000];
/** Longer than this nobody waits for an answer. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Sends a message to the address; waits and tries again where Slack is busy or not reached.
 *
 * @throws {SlackRefusal} where Slack does not take it.
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
    // The address lets whoever has it write in the person's name, so that it is not named.
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
    // What is no JSON is a word.
  }
  return /^[a-z_]+$/.test(text) && text !== "ok" ? { error: text } : {};
}
