import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { extname, join, sep } from "node:path";
import { parseJson } from "../json.js";

/** A refused request. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Refuses requests from other sites' pages in the same browser, and requests to this address under another name (DNS
 * rebinding).
 *
 * @throws {Refusal} if the host or the origin is another one.
 */
export function refuseForeign(headers: IncomingHttpHeaders, port = 0): void {
  const hosts = HOSTS.map((host) => (port === 80 ? host : `${host}:${port}`));
  const { host = "", origin } = headers;
  if (!hosts.includes(host.toLowerCase())) {
    throw new Refusal(403, `Unknown host "${host}": use ${hosts.join(" or ")}.`);
  }
  if (origin !== undefined && !hosts.some((own) => origin.toLowerCase() === `http://${own}`)) {
    throw new Refusal(403, `Requests from ${origin} are not allowed.`);
  }
}

/**
 * Refuses API requests from other sites, because only the page itself calls the API. Some browsers send the site
 * instead of an origin.
 *
 * @throws {Refusal} if the request is from another site.
 */
export function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin" && site !== "none") throw new Refusal(403, "Requests from other sites are not allowed.");
}

// Far more than a filled-in modal.
const BYTES = 64 * 1024;

/**
 * Returns the parsed JSON body of a request.
 *
 * @throws {Refusal} if it is not JSON, or too large.
 */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
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

/**
 * Returns a file of the page, with its response headers.
 *
 * @throws {Refusal} if there is none.
 */
export async function staticFile(folder: string, pathname: string) {
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
