import type { IncomingMessage } from "node:http";

/**
 * Collects a body whose `content-length` has been checked, and hands it over once all of it has arrived. It costs the same
 * in many small chunks as in one: each byte is copied once at most, and small chunks are not kept.
 */
export function collectBody(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const length = Number(request.headers["content-length"]);
  let body: Buffer = Buffer.alloc(0);
  let filled = 0;
  request.on("data", (chunk: Buffer) => {
    if (chunk.length === length) body = chunk;
    else {
      if (filled === 0) body = Buffer.allocUnsafe(length);
      chunk.copy(body, filled);
    }
    filled += chunk.length;
  });
  request.on("end", () => onBody(body.subarray(0, filled)));
}
