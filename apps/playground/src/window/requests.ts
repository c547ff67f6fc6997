import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { extname, join, sep } from "node:path";

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
 * Refuses requests of other sites' pages in the same browser, and requests to this address under another name (DNS
 * rebinding).
 *
 * @throws {Refusal} if the host or the origin is another one.
 */
export function refuseForeign(headers: IncomingHttpHeaders, port: number): void {
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
 * The same for the API, which only the page itself calls. Browsers that send no origin send the site.
 *
 * @throws {Refusal}
 */
export function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin" && site !== "none") throw new Refusal(403, "Requests from other sites are not allowed.");
}

// Far more than a filled-in modal.
const BYTES = 64 * 1024;

/**
 * The JSON body of a request.
 *
 * @throws {Refusal} if it is not JSON, or too large.
 */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  // Forms of other sites can't send this type.
  if (type.trim().toLowerCase() !== "application/json") throw new Refusal(415, "The body must be application/json.");
  const tooLarge = new Refusal(413, `The body is larger than ${BYTES} bytes.`, { connection: "close" });
  if (Number(request.headers["content-length"] ?? 0) > BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > BYTES) throw tooLarge;
    chunks.push(buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, "The body is not valid JSON.");
  }
}

export interface StaticFile {
  readonly content: Buffer;
  readonly type: string;
  readonly cacheControl: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/**
 * A file of the page.
 *
 * @throws {Refusal} if there is none.
 */
export async function staticFile(folder: string, pathname: string): Promise<StaticFile> {
  const path = pathname === "/" ? "/index.html" : decoded(pathname);
  const file = join(folder, path);
  // A path may try to lead out of the folder.
  const isInside = file.startsWith(`${join(folder)}${sep}`) && !path.includes("\0");
  const content = isInside ? await contentOf(file) : undefined;
  if (content === undefined && pathname === "/") {
    throw new Refusal(404, `The page is not built: ${folder} has no index.html.`);
  }
  if (content === undefined) throw new Refusal(404, `There is nothing at ${pathname}.`);
  return {
    content,
    type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
    // The name of an asset contains a hash of its content.
    cacheControl: path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw new Refusal(404, `There is nothing at ${pathname}.`);
  }
}

async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
