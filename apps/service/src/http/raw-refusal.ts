import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Refusal } from "./refusal.js";

// Long enough for an answer to be read by whoever still sends.
const LINGER_MS = 1000;

/** What is answered where a request did not even become one, by Node's code of what was wrong. */
function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("request-timeout", "The request took too long to arrive. Send it again, without pauses.");
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("headers-too-large", "The request's headers are larger than 16 KiB. Send less.");
    default:
      return new Refusal("bad-request", "This is no HTTP request that could be understood. Use an HTTP client.");
  }
}

/** Told of an answer that was given past the framework. */
export type OnRawRefusal = (request: IncomingMessage, refused: RawRefusal) => void;

/** How it was refused. */
interface RawRefusal {
  readonly refusal: Refusal;
  readonly requestId: string;
  readonly elapsedMs: number;
}

interface Call {
  readonly response: ServerResponse;
  readonly since: number;
}

/** What Node itself would answer without a word, or in its own words. */
export class RawRefusals {
  readonly #onRefusal: OnRawRefusal;
  /** The last call of each connection. */
  readonly #lastCalls = new WeakMap<Duplex, Call>();
  readonly #refused = new WeakSet<IncomingMessage>();

  constructor(onRefusal: OnRawRefusal) {
    this.#onRefusal = onRefusal;
  }

  /** Takes over what Node would answer on a server; a broken request is what the server's owner hands over. */
  watch(server: Server): void {
    server.on("request", (request, response) => this.#noteCall(request, response));
    server.on("checkExpectation", (request, response) => this.#expectation(request, response));
    server.on("connect", (_, socket) => refuseConnect(socket));
  }

  /** Remembers a call as the last of its connection. */
  #noteCall(request: IncomingMessage, response: ServerResponse): void {
    this.#lastCalls.set(request.socket, { response, since: performance.now() });
  }

  /** Answers on a connection whose request could not be understood, and ends it. */
  brokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
    const last = this.#lastCalls.get(socket);
    if (error.code === "ECONNRESET") {
      socket.destroy();
    } else if (last && this.hasRefused(last.response.req)) {
      endSoon(socket);
    } else if (!last) {
      refuseOn(socket, refusalOf(error.code));
    } else if (last.response.headersSent && !(last.response.req.complete && last.response.shouldKeepAlive)) {
      // What is broken is the rest of a call that has its answer, or comes after the last answer that was to be.
      endSoon(socket);
    } else if (last.response.req.complete && !last.response.closed) {
      // The answer to what came before comes first.
      last.response.once("close", () => refuseOn(socket, refusalOf(error.code)));
    } else {
      const refusal = refusalOf(error.code);
      const requestId = randomUUID();
      refuseOn(socket, refusal, requestId);
      if (!last.response.req.complete) this.#tell(last, refusal, requestId);
    }
  }

  /** Node would answer `Expect` with an empty body. */
  #expectation(request: IncomingMessage, response: ServerResponse): void {
    this.#noteCall(request, response);
    const refusal = new Refusal("expectation-failed", "The Expect header asks for what is not known. Leave it out.");
    const requestId = randomUUID();
    const { headers, body } = answerOf(refusal, requestId);
    response.writeHead(refusal.status, headers).end(body);
    this.#tell({ response, since: performance.now() }, refusal, requestId);
  }

  /** Whether a request has been answered here: what the framework says to it later reaches nobody. */
  hasRefused(request: IncomingMessage): boolean {
    return this.#refused.has(request);
  }

  #tell({ response, since }: Call, refusal: Refusal, requestId: string): void {
    this.#refused.add(response.req);
    this.#onRefusal(response.req, { refusal, requestId, elapsedMs: performance.now() - since });
  }
}

/** Node would end the connection without a word. */
function refuseConnect(socket: Duplex): void {
  const headers = { allow: "POST" };
  refuseOn(socket, new Refusal("method-not-allowed", "Every operation takes POST only.", { headers }));
}

function answerOf(refusal: Refusal, requestId: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(refusal.toProblem(requestId));
  return {
    headers: {
      ...refusal.headers,
      "content-type": "application/problem+json",
      "content-length": String(Buffer.byteLength(body)),
      "x-request-id": requestId,
      connection: "close",
    },
    body,
  };
}

function refuseOn(socket: Duplex, refusal: Refusal, requestId: string = randomUUID()): void {
  const { headers, body } = answerOf(refusal, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`;
  endSoon(socket, text);
}

function endSoon(socket: Duplex, lastWords = ""): void {
  // Node no longer listens for the errors of a socket that it has handed over: a client that goes away without a
  // good-bye would otherwise end the whole process.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastWords);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
