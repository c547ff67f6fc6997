import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import type { AtEnd } from "./document.js";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What somebody else would run: a media server's API, or a receiver of webhooks. */
export interface Server {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** What it answers from now on. */
  answer: Answer;
}

export async function startServer(atEnd: AtEnd, answer: Answer): Promise<Server> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers, body: await text(request) });
    response.writeHead(started.answer.status, { "content-type": "application/json" }).end(started.answer.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const started: Server = {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    requests,
    answer,
  };
  return started;
}
