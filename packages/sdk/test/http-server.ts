import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { FakeMediaService } from "../src/testing/index.js";

/** A real server on a free port; it stops after the test. */
export interface TestServer {
  baseUrl: string;
  /** The time of each request, in milliseconds since 1970. */
  requests: { at: number; body: string; headers: IncomingMessage["headers"] }[];
  /** The number of open connections with a request. Some runtimes open a spare one in advance, which is not counted. */
  open(): number;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, body?: string) => void;

/** Sends the first response to the first request, and so on; the last one is repeated. */
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
      // Connections are not kept alive, so that every open one belongs to a running call.
      response.setHeader("connection", "close");
      answers[Math.min(requests.length, answers.length) - 1]?.(response, request, body);
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

/** The URL of a port that refuses connections. */
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

/** Records the current timers; the returned function expects that none and no connection was added since. */
export function watchLeftovers(): (server?: TestServer) => Promise<void> {
  const before = timers();
  return async (server) => {
    const left = () => ({ connections: server?.open() ?? 0, timers: Math.max(0, timers() - before) });
    // A connection takes a moment to close; waiting with timers would count the wait's own. A leaked timer would stay
    // for half a minute.
    const patience = Date.now() + 2_000;
    while (Date.now() < patience && left().connections + left().timers > 0) await new Promise(setImmediate);
    expect(left()).toEqual({ connections: 0, timers: 0 });
  };
}

/** Answers like a fake service. */
export const answerBy =
  (service: FakeMediaService): Answer =>
  async (response, { method = "", url = "", headers: sent }, body = "") => {
    const headers = Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await service.fetch(`http://media.test${url}`, { method, headers, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };

/** Serves a fake service over HTTP; returns the options of a client. */
export async function serve(service: FakeMediaService): Promise<{ baseUrl: string; apiKey: string }> {
  const { baseUrl } = await startServer(answerBy(service));
  return { baseUrl, apiKey: service.clientOptions.apiKey };
}
