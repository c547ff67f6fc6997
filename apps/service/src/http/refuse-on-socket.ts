import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Refusal } from "../refusal.js";
import { problemAnswer } from "./send-answer.js";

// Long enough for a client that still sends to read its answer.
const LINGER_MS = 1000;

/** Why bytes were no HTTP request, by Node's code of the error. */
export function malformedRequest(code: string | undefined): Refusal {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("request-timeout", "The request took too long to arrive. Send it again, without pauses.");
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("headers-too-large", "The request's headers are larger than 16 KiB. Send less.");
    default:
      return new Refusal("bad-request", "This is no HTTP request that could be understood. Use an HTTP client.");
  }
}

/** Writes a problem on a connection that has no request to answer, and ends the connection. */
export function refuseOnSocket(socket: Duplex, refusal: Refusal, requestId: string): void {
  const { status, headers, body } = problemAnswer(refusal, requestId);
  const all = {
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/** Ends a connection whose rest is not read, after its client had time to read the last answer. */
export function endSocket(socket: Duplex, lastBytes = ""): void {
  // Node does not listen for errors of a socket that it has handed over: a reset would end the whole process.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastBytes);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
