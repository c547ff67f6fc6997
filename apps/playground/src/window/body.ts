import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.js";

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
