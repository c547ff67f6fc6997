import type { IncomingMessage } from "node:http";
import { serveHttp } from "@media-ops/testing/servers";

/** A request to the receiver. */
export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary bodies, and fail if a member is missing.
  body: any;
}

/** The receiver's response: JSON, raw text or none; or it closes the connection. */
export type ReceiverAnswer = { status?: number; json?: unknown; text?: string } | "silence" | "reset";

/** A fake intake for tests. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Respond = (request: Received) => ReceiverAnswer | undefined | Promise<ReceiverAnswer | undefined>;

export const allow = ({ path }: Received): ReceiverAnswer =>
  path.endsWith("/auth") ? { json: { allowed: true } } : { status: 204 };

/** Starts a receiver on a free port, which accepts everything by default. */
export async function startReceiver(respond: Respond = allow) {
  const received: Received[] = [];
  let sockets = 0;
  let atATime = 0;
  let mostAtATime = 0;
  const { url, server, close } = await serveHttp((request, response) => {
    atATime++;
    mostAtATime = Math.max(mostAtATime, atATime);
    response.on("close", () => atATime--);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) };
      received.push(one);
      const answer = (await respond(one)) ?? allow(one);
      if (answer === "silence") return;
      if (answer === "reset") {
        request.socket.resetAndDestroy();
        return;
      }
      response.statusCode = answer.status ?? 200;
      response.end(answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json)));
    });
  });
  server.on("connection", () => sockets++);
  return {
    url: `${url}/intake`,
    received,
    /** The types of all requests so far; `auth` for a call to auth. */
    get types(): string[] {
      return received.map(({ body }) => body.type ?? "auth");
    },
    /** The bodies of one type, oldest first. */
    ofType: (type: string): Received["body"][] => received.flatMap(({ body }) => (body.type === type ? [body] : [])),
    /** The number of connections that were opened to it. */
    get sockets(): number {
      return sockets;
    },
    /** The maximum number of concurrent requests. */
    get mostAtATime(): number {
      return mostAtATime;
    },
    close,
  };
}
