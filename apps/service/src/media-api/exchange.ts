import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

/** A request to the media server. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Gives it up. */
  readonly signal: AbortSignal;
  /** Told when there is a connection: whatever fails from then on, the request may have been read. */
  onConnected(): void;
}

/** What the media server answered. */
export interface MediaAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** The media server has answered, but not as it should; `message` goes on from "its answer". */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
}

const MIB = 2 ** 20;
// Many times what the listing of a full channel takes.
const MAX_ANSWER_BYTES = 16 * MIB;

/**
 * Posts once, on a connection of its own: on one that was kept, nobody could tell whether a call was lost with it or
 * had been done, and such a call must not be made again.
 */
export function exchange({ url, headers, body, signal, onConnected }: Outgoing): Promise<MediaAnswer> {
  return new Promise((done, failed) => {
    const isSecure = url.protocol === "https:";
    const request = isSecure ? httpsRequest : httpRequest;
    const outgoing = request(url, { method: "POST", headers, agent: false, signal });
    // Stays: an error that comes after the answer must not end the process.
    outgoing.on("error", failed);
    outgoing.on("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", onConnected));
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy();
      failed(new AnswerError("asks for another protocol"));
    });
    outgoing.on("response", (response) => {
      read(response)
        .then(done, failed)
        .finally(() => outgoing.destroy());
    });
    outgoing.end(body);
  });
}

async function read(response: IncomingMessage): Promise<MediaAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status > 599) throw new AnswerError(`has the status ${status}, which HTTP does not know`);
  // It was asked for none, and without its name nobody could read what is passed on.
  const { "content-type": contentType, "content-encoding": encoding = "identity" } = headers;
  if (encoding.toLowerCase() !== "identity") throw new AnswerError("is compressed");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new AnswerError(`is larger than ${MAX_ANSWER_BYTES / MIB} MiB`);
  }
  return { status, contentType, body: Buffer.concat(chunks, length) };
}
