import type { MediaApiLogEntry } from "@media-ops/contract";
import type { Answer } from "../http/route.js";
import type { EntryWriter } from "../logs/log-writer.js";
import {
  errorCode,
  InvalidAnswerError,
  PendingRequests,
  type RequestAnswer,
  sendRequest,
} from "../outgoing/request.js";
import { Refusal } from "../refusal.js";

/** A call of the media server's API. */
export interface MediaCall {
  readonly projectId: string;
  /** The operation: `Media_<YYYYMMDD>.<OperationName>`. */
  readonly target: string;
  readonly channelId: string;
  /** JSON, byte for byte as the caller sent it. */
  readonly body: Buffer;
  readonly requestId: string;
}

interface MediaServerOptions {
  readonly url: string;
  /** From the DNS lookup to the end of the answer. @default 10_000 */
  readonly timeoutMs?: number;
  readonly writer: Pick<EntryWriter, "record">;
  now(): number;
}

const CHECK_UPSTREAM = "Check that it runs, and that MEDIA_UPSTREAM_URL is right.";
const MAY_BE_DONE = "It may have carried out the call nevertheless.";
const MIB = 2 ** 20;
// Many times the size of a full channel's listing.
const MAX_ANSWER_BYTES = 16 * MIB;

/** The media server's own API. */
export class MediaServer {
  readonly #options: MediaServerOptions;
  readonly #url: URL;
  readonly #pending = new PendingRequests();

  constructor(options: MediaServerOptions) {
    this.#options = options;
    this.#url = new URL(`${options.url}/`);
  }

  /** Forwards a call once, logs it and returns the answer. @throws {Refusal} if there is none, or an unusable one. */
  async pass(call: MediaCall): Promise<Answer> {
    const { now, writer, timeoutMs = 10_000 } = this.#options;
    const startedAt = now();
    const since = performance.now();
    const result = await this.#pending.run(timeoutMs, async (signal) => {
      const answer = await this.#post(call, signal);
      // An answer that is complete when the request is cancelled may still be cut off.
      const fault = signal.aborted ? signal.reason : (answer.fault ?? invalidityOf(answer));
      const result = fault === undefined ? toAnswer(answer) : refusalOf(fault, answer.isConnected, timeoutMs);
      const entry: MediaApiLogEntry = {
        timestamp: new Date(startedAt).toISOString(),
        media_target: call.target,
        channel_id: call.channelId,
        status: result.status,
        elapsed_time_ms: Math.round(performance.now() - since),
      };
      const { projectId } = call;
      writer.record({ projectId, kind: "media-api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
      return result;
    });
    if (result instanceof Refusal) throw result;
    return result;
  }

  async close(): Promise<void> {
    await this.#pending.close();
  }

  /** Uses a new connection: on a kept one, a lost call cannot be distinguished from one that was carried out. */
  #post(call: MediaCall, signal: AbortSignal): Promise<RequestAnswer> {
    const headers = {
      "content-type": "application/json",
      "accept-encoding": "identity",
      "x-media-target": call.target,
      "x-request-id": call.requestId,
    };
    return sendRequest({ url: this.#url, headers, body: call.body, maxBytes: MAX_ANSWER_BYTES, signal });
  }
}

function toAnswer({
  status,
  headers: { "content-type": type = "application/octet-stream" },
  body,
}: RequestAnswer): Answer {
  // Without a type, a browser would guess one.
  return { status, headers: status === 204 ? {} : { "content-type": type }, body };
}

function invalidityOf({ headers, isCut }: RequestAnswer): InvalidAnswerError | undefined {
  // The answer's encoding is not forwarded, so the caller could not read a compressed body.
  const { "content-encoding": encoding = "identity" } = headers;
  if (encoding.toLowerCase() !== "identity") return new InvalidAnswerError("its answer is compressed");
  return isCut ? new InvalidAnswerError(`its answer is larger than ${MAX_ANSWER_BYTES / MIB} MiB`) : undefined;
}

function refusalOf(why: unknown, isConnected: boolean, timeoutMs: number): Refusal {
  if (why === "timeout") {
    const what = isConnected ? "did not answer" : "could not be reached";
    const advice = isConnected ? MAY_BE_DONE : CHECK_UPSTREAM;
    return new Refusal("gateway-timeout", `The media server ${what} within ${timeoutMs / 1000} seconds. ${advice}`);
  }
  if (why === "closed") {
    return new Refusal("bad-gateway", `The service stopped before the media server answered. ${MAY_BE_DONE}`);
  }
  const detail = isConnected
    ? `The media server sent no usable answer: ${faultOf(why)}. ${MAY_BE_DONE}`
    : `The media server could not be reached. ${CHECK_UPSTREAM}`;
  return new Refusal("bad-gateway", detail, { cause: why });
}

function faultOf(why: unknown): string {
  if (why instanceof InvalidAnswerError) return why.message;
  return errorCode(why).startsWith("HPE_") ? "its answer is not HTTP" : "the connection was lost";
}
