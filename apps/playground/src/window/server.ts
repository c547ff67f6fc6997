import type { IncomingMessage, ServerResponse } from "node:http";
import type { Person } from "@media-ops/fake-slack";
import { serve } from "../ports.js";
import { ActionError, perform, readAction } from "./actions.js";
import { followExchanges } from "./exchanges.js";
import { type FeedParts, feed, type Setting } from "./feed.js";
import type { Suggestion } from "./protocol.js";
import { jsonBody, Refusal, refuseForeign, refuseOtherSites, staticFile } from "./requests.js";

export interface WindowOptions extends Setting {
  /** Returns completions of a typed line. */
  readonly suggest: (line: string, person: Person) => readonly Suggestion[];
  /** The folder of the page's files. */
  readonly pageFolder: string;
  /** 0 selects a free port. */
  readonly port: number;
}

/** The server of the page. */
export interface SlackWindow {
  readonly url: string;
  stop(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

const HOST = "127.0.0.1";
const EXCHANGES = 200;

const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Serves the page and its API on this machine only. */
export async function startWindow({ suggest, pageFolder, port, ...setting }: WindowOptions): Promise<SlackWindow> {
  const exchanges = followExchanges(setting.slack, { keeps: EXCHANGES });
  const parts: FeedParts = { ...setting, exchanges };

  /** Returns the named person, or the first one if none is named or the person is unknown. */
  const personIn = ({ searchParams }: URL): Person => {
    const person = parts.people.find(({ id }) => id === searchParams.get("person")) ?? parts.people[0];
    if (!person) throw new Refusal(404, "There are no people in the workspace.");
    return person;
  };
  const api: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    "/api/window": { GET: (_, response, url) => feed(response, parts, personIn(url)) },
    "/api/do": {
      POST: async (request, response) =>
        sendJson(response, 200, await perform(parts, readAction(await jsonBody(request)))),
    },
    "/api/suggestions": {
      GET: (_, response, url) => sendJson(response, 200, suggest(url.searchParams.get("line") ?? "", personIn(url))),
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method = "", socket } = request;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    refuseForeign(headers, socket.localPort);
    // The host has been checked.
    const url = new URL(`http://${HOST}${request.url?.startsWith("/") ? request.url : "/"}`);
    const handlers = api[url.pathname];
    if (handlers) {
      refuseOtherSites(headers);
      const handler = handlers[method];
      if (!handler) throw notAllowed(request, Object.keys(handlers));
      return handler(request, response, url);
    }
    if (method !== "GET" && method !== "HEAD") throw notAllowed(request, ["GET", "HEAD"]);
    const { content, type, cacheControl } = await staticFile(pageFolder, url.pathname);
    response.writeHead(200, { "content-type": type, "content-length": content.length, "cache-control": cacheControl });
    response.end(method === "HEAD" ? undefined : content);
  };

  const { url, stop } = await serve(port, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A client that is still sending would not read the answer.
      request.resume();
      refuse(response, error);
    });
  });
  return {
    url,
    async stop() {
      exchanges.stop();
      await stop();
    },
  };
}

function notAllowed({ method, url }: IncomingMessage, allowed: readonly string[]): Refusal {
  return new Refusal(405, `${method} can't be used at ${url}; ${allowed.join(", ")} can.`, {
    allow: allowed.join(", "),
  });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else if (error instanceof Refusal) sendJson(response, error.status, { error: error.message }, error.headers);
  else if (error instanceof ActionError) sendJson(response, 400, { error: error.message });
  else sendJson(response, 500, { error: error instanceof Error ? error.message : String(error) });
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(JSON.stringify(body));
}
