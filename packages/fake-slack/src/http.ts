import type { IncomingMessage, ServerResponse } from "node:http";
import type { World } from "./world/world.js";

/** Handles the requests for a path. */
export type Handler = (world: World, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The URL of a request; its host doesn't matter. */
export function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://localhost");
}

/** Responds with JSON. */
export function sendJson(
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
