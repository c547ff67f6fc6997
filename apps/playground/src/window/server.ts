import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import type { Person } from "@media-ops/fake-slack";
import { parseJson } from "../json.js";
import { serve } from "../ports.js";
import { perform, Refusal } from "./actions.js";
import { feed, type Setting } from "./feed.js";
import type { Suggestion } from "./protocol.js";

export interface WindowOptions extends Setting {
  readonly suggest: (line: string) => readonly Suggestion[];
  readonly pageFolder: string;
  readonly port: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Serves the page and its API on this machine only. Returns its URL, and a function that stops it. */
export async function startWindow({ suggest, pageFolder, port, ...setting }: WindowOptions) {
  const unfollow = setting.log.follow(setting.slack);

  /** Returns the named person, or the first one if none is named or the person is unknown. */
  const personIn = ({ searchParams }: URL): Person => {
    const person = setting.people.find(({ id }) => id === searchParams.get("person")) ?? setting.people[0];
    if (!person) throw new Refusal(404, "There are no people in the workspace.");
    return person;
  };
  const api: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    "/api/window": { GET: (_, response, url) => feed(response, setting, personIn(url)) },
    "/api/do": {
      POST: async (request, response) => sendJson(response, 200, await perform(setting, await jsonBody(request))),
    },
    "/api/suggestions": {
      GET: (_, response, { searchParams }) => sendJson(response, 200, suggest(searchParams.get("line") ?? "")),
    },
  };
  const getFile: Handler = async ({ method }, response, { pathname }) => {
    const { content, type, cacheControl } = await staticFile(pageFolder, pathname);
    response.writeHead(200, { "content-type": type, "content-length": content.length, "cache-control": cacheControl });
    response.end(method === "HEAD" ? undefined : content);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method = "", socket } = request;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    refuseForeign(headers, socket.localPort);
    const url = new URL(`http://localhost${request.url?.startsWith("/") ? request.url : "/"}`);
    if (api[url.pathname]) refuseOtherSites(headers);
    const handlers = api[url.pathname] ?? { GET: getFile, HEAD: getFile };
    const handler = handlers[method];
    if (handler) return handler(request, response, url);
    const allow = Object.keys(handlers).join(", ");
    throw new Refusal(405, `${method} can't be used at ${request.url}; ${allow} can.`, { allow });
  };

  const { url, stop } = await serve(port, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A client that is still sending would not read the answer.
      request.resume();
      if (response.headersSent) response.destroy();
      else if (error instanceof Refusal) sendJson(response, error.status, { error: error.message }, error.headers);
      else sendJson(response, 500, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  return { url, stop: () => stop().finally(unfollow) };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const usual = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(status, { ...usual, ...headers }).end(JSON.stringify(body));
}

const HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/** Refuses requests from other sites' pages, and requests to this address under another name (DNS rebinding). */
function refuseForeign({ host = "", origin }: IncomingHttpHeaders, port: number | undefined): void {
  const hosts = HOSTS.map((name) => (port === 80 ? name : `${name}:${port}`));
  if (!hosts.includes(host.toLowerCase())) {
    throw new Refusal(403, `Unknown host "${host}": use ${hosts.join(" or ")}.`);
  }
  if (origin !== undefined && !hosts.some((own) => origin.toLowerCase() === `http://${own}`)) {
    throw new Refusal(403, `Requests from ${origin} are not allowed.`);
  }
}

/** Refuses API requests from other sites. Some browsers send the site instead of an origin. */
function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin" && site !== "none") throw new Refusal(403, "Requests from other sites are not allowed.");
}

// Far more than a filled-in modal.
const BYTES = 64 * 1024;

/** Returns the parsed JSON body of a request, and refuses other or larger bodies. */
async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  // Forms of other sites can't send this type.
  if (type.trim().toLowerCase() !== "application/json") throw new Refusal(415, "The body must be application/json.");
  let body = Buffer.alloc(0);
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    body = Buffer.concat([body, chunk]);
    if (body.length > BYTES) {
      throw new Refusal(413, `The body is larger than ${BYTES} bytes.`, { connection: "close" });
    }
  }
  const parsed = parseJson(body.toString());
  if (parsed === undefined) throw new Refusal(400, "The body is not valid JSON.");
  return parsed;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Returns a file of the page, with its response headers. */
async function staticFile(folder: string, pathname: string) {
  try {
    const path = pathname === "/" ? "/index.html" : decodeURIComponent(pathname);
    const file = join(folder, path);
    // The path may try to escape the folder.
    if (!file.startsWith(`${join(folder)}${sep}`)) throw new Error("It is outside of the folder.");
    return {
      content: await readFile(file),
      type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
      // The name of an asset contains a hash of its content.
      cacheControl: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    };
  } catch {
    if (pathname === "/") throw new Refusal(404, `The page is not built: ${folder} has no index.html.`);
    throw new Refusal(404, `There is nothing at ${pathname}.`);
  }
}
