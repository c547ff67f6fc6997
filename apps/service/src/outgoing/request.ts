import {
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { request as httpsRequest } from "node:https";

/** A request to another server. */
export interface OutgoingRequest extends Pick<RequestOptions, "lookup"> {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body to post. @default none: a GET */
  readonly body?: string | Buffer;
  readonly maxBytes: number;
  /** Cancels the request; its reason becomes the answer's `fault`. */
  readonly signal: AbortSignal;
  /** Keeps connections. @default a connection for this request alone */
  readonly agent?: HttpAgent;
}

/** The result of a request. */
export interface RequestAnswer {
  /** 200 to 599, or 101; 0 if there was no answer. An answer counts even if its body never ends. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most `maxBytes`. */
  readonly body: Buffer;
  readonly isCut: boolean;
  /** Why the answer is missing or incomplete: an error, or the signal's reason. */
  readonly fault?: unknown;
  /** Whether the connection was established: if so, the server may have read the request, even if it failed later. */
  readonly isConnected: boolean;
  /** Whether the server had closed the kept connection before it read the request. */
  readonly isStale: boolean;
}

/** The server's answer is not allowed; `message` says why. */
export class InvalidAnswerError extends Error {
  override readonly name = "InvalidAnswerError";
}

/** Sends once, and never rejects. Built on Node's client, as only that reports whether a connection was reused. */
export function sendRequest({ url, body, maxBytes, signal, agent, ...rest }: OutgoingRequest): Promise<RequestAnswer> {
  return new Promise((resolve) => {
    const isSecure = url.protocol === "https:";
    const options = { ...rest, method: body === undefined ? "GET" : "POST", agent: agent ?? (false as const) };
    const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    const chunks: Buffer[] = [];
    let length = 0;
    let answer: IncomingMessage | undefined;
    let isConnected = false;
    let hasHeard = (): boolean => false;
    const settle = (why: { fault?: unknown; isStale?: boolean } = {}): void => {
      signal.removeEventListener("abort", onAbort);
      const { statusCode: status = 0, headers = {} } = answer ?? {};
      const read = Buffer.concat(chunks, Math.min(length, maxBytes));
      resolve({ status, headers, body: read, isCut: length > maxBytes, isConnected, isStale: false, ...why });
    };
    const abandon = (why?: { fault: unknown; isStale?: boolean }): void => {
      settle(why);
      request.destroy();
    };
    const onAbort = (): void => abandon({ fault: signal.reason });
    request.on("socket", (socket) => {
      const before = socket.bytesRead;
      hasHeard = () => socket.bytesRead > before;
      if (request.reusedSocket) isConnected = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (isConnected = true));
    });
    // These listeners stay: an error after the answer must not end the process.
    request.on("error", (fault) => {
      const isClosed = "code" in fault && (fault.code === "ECONNRESET" || fault.code === "EPIPE");
      abandon({ fault, isStale: request.reusedSocket && isClosed && !hasHeard() });
    });
    request.on("upgrade", (response, socket) => {
      socket.on("error", () => {}).destroy();
      answer = response;
      settle({ fault: new InvalidAnswerError("its answer asks for another protocol") });
    });
    request.on("response", (response) => {
      response.on("error", (fault) => abandon({ fault }));
      const { statusCode = 0 } = response;
      if (statusCode < 200 || statusCode > 599) {
        const fault = new InvalidAnswerError(`its answer has the status ${statusCode}, which HTTP does not define`);
        return abandon({ fault });
      }
      answer = response;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > maxBytes) abandon();
      });
      response.on("end", () => {
        // Otherwise the rest of the body would be sent to a server that answers without reading it.
        if (request.writableFinished) settle();
        else abandon();
      });
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    request.end(body);
  });
}

/** Why a request was cancelled. */
export type CancelReason = "timeout" | "closed";

/** The requests in flight, each with a time limit. */
export class PendingRequests {
  readonly #cancels = new Map<(reason: CancelReason) => void, Promise<unknown>>();
  #isClosed = false;

  /** Sends a request whose signal is aborted with a {@link CancelReason} after `timeoutMs`, or on {@link close}. */
  async run<T>(timeoutMs: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const cancel = (reason: CancelReason): void => controller.abort(reason);
    if (this.#isClosed) cancel("closed");
    const timer = setTimeout(cancel, timeoutMs, "timeout");
    const sent = send(controller.signal);
    this.#cancels.set(cancel, sent);
    try {
      return await sent;
    } finally {
      this.#cancels.delete(cancel);
      clearTimeout(timer);
    }
  }

  /** Cancels all requests, and any later one. Resolves when all have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const sent = [...this.#cancels.values()];
    for (const cancel of this.#cancels.keys()) cancel("closed");
    await Promise.allSettled(sent);
  }
}

/** The code of an error, such as ECONNREFUSED; empty if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
