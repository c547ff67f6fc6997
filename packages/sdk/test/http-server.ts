import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished } from "vitest";

/** A real server on a free port; it ends with the test. */
export interface TestServer {
  baseUrl: string;
  /** When each request came, in milliseconds since 1970. */
  requests: { at: number; body: string; headers: IncomingMessage["headers"] }[];
  /** Connections that brought a request and are open now. Some runtimes open a spare one ahead, which is theirs. */
  open(): number;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers the first request with the first answer, and so on; the last one serves all that follow. */
export async function startServer(...answers: [Answer, ...Answer[]]): Promise<TestServer> {
  const requests: TestServer["requests"] = [];
  const used = new Set<Socket>();
  const server = createServer((request, response) => {
    const { socket } = request;
    used.add(socket);
    socket.on("close", () => used.delete(socket));
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      requests.push({ at: Date.now(), body, headers: request.headers });
      // No connection is kept for later, so that every one still open belongs to a call under way.
      response.setHeader("connection", "close");
      answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, requests, open: () => used.size };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json; charset=UTF-8", "x-request-id": "req-1", ...headers })
      .end(JSON.stringify(body));

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** Remembers the timers of now; what it gives back expects that no timer and no connection was added since. */
export function watchLeftovers(): (server?: TestServer) => Promise<void> {
  const before = timers();
  return async (server) => {
    const left = () => ({ connections: server?.open() ?? 0, timers: Math.max(0, timers() - before) });
    // A connection takes a moment to close; to wait by timers would count the wait's own. What must not be left would
    // stay for half a minute.
    const patience = Date.now() + 2_000;
    while (Date.now() < patience && left().connections + left().timers > 0) await new Promise(setImmediate);
    expect(left()).toEqual({ connections: 0, timers: 0 });
  };
}
