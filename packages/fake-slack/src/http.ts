import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as elapsed } from "node:timers/promises";
import type { Answer, Json, TranscriptEntry } from "./world/model.js";
import type { World } from "./world/world.js";

/** Handles the requests for a path. */
export type Handler = (world: World, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The URL of a request; its host doesn't matter. */
export function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://localhost");
}

/** Responds with JSON. */
function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

/** Responds with text or a page. */
export function sendText(response: ServerResponse, status: number, body: string, type = "text/plain"): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
  response.end(body);
}

/** Escapes a text for HTML, and for Slack's own markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Slack's answer to a call that it refuses. */
export function refusedAnswer(status: number, error: string, extra: Json = {}): Answer {
  return { status, headers: {}, body: { ok: false, error, ...extra } };
}

/** Slack's answer to a call that exceeds a rate limit. */
export function rateLimitAnswer(retryAfter: number): Answer {
  return { ...refusedAnswer(429, "ratelimited"), headers: { "retry-after": String(retryAfter) } };
}

type Call = Pick<TranscriptEntry, "teamId" | "name" | "users"> & { readonly args: unknown };

/** Answers a call, or simulates its failure, and records it in the transcript. */
export async function answerCall(
  world: World,
  response: ServerResponse,
  { teamId, name, users, args }: Call,
  run: () => Answer,
): Promise<void> {
  const mishap = world.takeMishap(name);
  const { status, body, headers } = mishap?.kind === "answer" ? mishap.answer : run();
  const isLost = mishap?.kind === "lost";
  const detail = { args, status, answer: body, ...(isLost && { isAnswerLost: true }) };
  world.record({ teamId, what: "call", name, users, detail });
  if (isLost) {
    response.destroy();
    return;
  }
  // A late answer must not keep a process alive.
  if (mishap?.kind === "late") await elapsed(mishap.ms, undefined, { ref: false });
  // All other responses are JSON.
  if (body === "ok") sendText(response, status, body);
  else sendJson(response, status, body, headers);
}
