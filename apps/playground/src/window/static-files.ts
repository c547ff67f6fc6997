import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { Refusal } from "./refusal.js";

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
