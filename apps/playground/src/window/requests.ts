import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { extname, join, sep } from "node:path";

/** A request that is not answered as it wants; the message says why. */
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
 * Keeps the window for the pages that it serves itself. Any other page that is open in the same browser could send
 * requests here, too, or reach this address by a name of its own.
 *
 * @throws {Refusal} where a request comes from elsewhere.
 */
export function refuseForeign(headers: IncomingHttpHeaders, port: number): void {
  const hosts = HOSTS.map((host) => (port === 80 ? host : `${host}:${port}`));
  const { host = "", origin } = headers;
  if (!hosts.includes(host.toLowerCase())) {
    throw new Refusal(403, `This is reached as ${hosts.join(" or ")}, and not as "${host}".`);
  }
  if (origin !== undefined && !hosts.some((own) => origin.toLowerCase() === `http://${own}`)) {
    throw new Refusal(403, `The page at ${origin} has no business here.`);
  }
}

/**
 * The same for what only the page itself asks for. Where a browser names no origin, it still says whose page it is.
 *
 * @throws {Refusal}
 */
export function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin" && site !== "none") throw new Refusal(403, "Another page has no business here.");
}

// Far more than anybody fills into a window of Slack's.
const BYTES = 64 * 1024;

/**
 * The JSON that somebody has sent.
 *
 * @throws {Refusal} where it is something else, or too much.
 */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  // What a form of another page could send is never this.
  if (type.trim().toLowerCase() !== "application/json") throw new Refusal(415, "The body has to be application/json.");
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
    throw new Refusal(400, "The body is no JSON.");
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
 * A file of the page, by the path of its address.
 *
 * @throws {Refusal} where there is none.
 */
export async function staticFile(folder: string, pathname: string): Promise<StaticFile> {
  const path = pathname === "/" ? "/index.html" : decoded(pathname);
  const file = join(folder, path);
  // An address may be written so that it leads out of the folder.
  const isInside = file.startsWith(`${join(folder)}${sep}`) && !path.includes("\0");
  const content = isInside ? await contentOf(file) : undefined;
  if (content === undefined && pathname === "/") {
    throw new Refusal(404, `The page is not built: there is no index.html in ${folder}.`);
  }
  if (content === undefined) throw new Refusal(404, `There is nothing at ${pathname}.`);
  return {
    content,
    type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
    // The name of an asset tells what is in it.
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
