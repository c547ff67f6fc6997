import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers the value of a request's body. */
export type BareHandler = (body: unknown) => Promise<unknown>;

/**
 * Serves JSON over bare `node:http`, with the headers that the service sends, and tells the parent process at which port.
 * What cannot be answered is answered with 400.
 */
export function serveBareJson(handle: BareHandler): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      answer(Buffer.concat(chunks), handle, response).catch(() => response.writeHead(400).end());
    });
  });
  // Who is measured by turns waits for its own longer than a server would.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function answer(body: Buffer, handle: BareHandler, response: ServerResponse<IncomingMessage>): Promise<void> {
  const text = JSON.stringify(await handle(JSON.parse(body.toString())));
  response.writeHead(200, headersFor(text)).end(text);
}

/** The headers that the service sends with a text, and as long. */
export function headersFor(text: string): OutgoingHttpHeaders {
  return {
    "x-request-id": "00000000-0000-4000-8000-000000000000",
    "cache-control": "no-store",
    "content-type": "application/json; charset=UTF-8",
    "content-length": Buffer.byteLength(text),
  };
}
