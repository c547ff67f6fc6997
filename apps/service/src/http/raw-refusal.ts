import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
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

/** Answers on a connection whose request could not be understood, and ends it. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET") socket.destroy();
  else refuseOn(socket, refusalOf(error.code));
}

/** Node would answer `Expect` with an empty body. */
export function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  const refusal = new Refusal("expectation-failed", "The Expect header asks for what is not known. Leave it out.");
  const { headers, body } = answerOf(refusal);
  response.writeHead(refusal.status, headers).end(body);
}

/** Node would end the connection without a word. */
export function refuseConnect(_: IncomingMessage, socket: Duplex): void {
  refuseOn(
    socket,
    new Refusal("method-not-allowed", "Every operation takes POST only.", { headers: { allow: "POST" } }),
  );
}

function answerOf(refusal: Refusal): { headers: Record<string, string>; body: string } {
  const requestId = randomUUID();
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

function refuseOn(socket: Duplex, refusal: Refusal): void {
  // Node no longer listens for a socket's errors once it has handed the socket over: a client that goes away without a
  // good-bye would otherwise end the whole process.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, body } = answerOf(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
