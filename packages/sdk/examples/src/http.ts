import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Puts a `fetch`-like handler behind a real address. */
export function createHttpServer(handle: (request: Request) => Promise<Response>): Server {
  return createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    try {
      const { method = "GET", headers, url = "/" } = incoming;
      const body = await text(incoming);
      const request = new Request(`http://${headers.host ?? "localhost"}${url}`, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          typeof value === "string" ? [[name, value]] : [],
        ) as [string, string][],
        ...(method !== "GET" && method !== "HEAD" && { body }),
      });
      const response = await handle(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    } catch (error) {
      outgoing.writeHead(500).end(String(error));
    }
  });
}
