import type { IncomingMessage } from "node:http";
import { Refusal } from "../refusal.js";

const JSON_TYPE = /^application\/json *(?:;|$)/i;

/**
 * Reads the body of a call.
 *
 * @throws {Refusal} if it is too large, cut off, compressed or not JSON by its headers.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const body = await collectBody(request, maxBytes);
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!JSON_TYPE.test(type)) {
    // curl -X POST -d '' sends the type of a form, and means no body.
    if (body.length === 0) return body;
    const detail = "The request body must be JSON. Send it with Content-Type: application/json.";
    throw new Refusal("unsupported-media-type", detail);
  }
  if (encoding.toLowerCase() === "identity") return body;
  throw new Refusal("unsupported-media-type", "The request body must not be compressed. Send it as it is.");
}

/** Collects a body. Each byte is copied a few times at most, and small chunks are not kept, however many there are. */
export function collectBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const length = Number(request.headers["content-length"] ?? 0);
  return new Promise((done, failed) => {
    let body: Buffer = Buffer.alloc(0);
    let filled = 0;
    if (request.destroyed) failed(cutOff());
    request.on("error", () => failed(cutOff()));
    request.on("end", () => done(body.subarray(0, filled)));
    request.on("data", (chunk: Buffer) => {
      const needed = filled + chunk.length;
      if (needed > maxBytes) failed(tooLarge(maxBytes));
      else if (chunk.length === length) body = chunk;
      else {
        if (needed > body.length) {
          const larger = Buffer.allocUnsafe(Math.max(length, needed, Math.min(2 * body.length, maxBytes)));
          body.copy(larger, 0, 0, filled);
          body = larger;
        }
        chunk.copy(body, filled);
      }
      filled = Math.min(needed, maxBytes);
    });
  });
}

const cutOff = (): Refusal => new Refusal("bad-request", "The connection ended before the whole request had arrived.");

function tooLarge(maxBytes: number): Refusal {
  const size = maxBytes < 2 ** 20 ? `${maxBytes / 2 ** 10} KiB` : `${maxBytes / 2 ** 20} MiB`;
  // The connection ends with the answer: the rest of the body is not read.
  const headers = { connection: "close" };
  return new Refusal("payload-too-large", `The request body is larger than ${size}. Send less.`, { headers });
}
