import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AtEnd } from "./storage.js";

/** Starts a server that is not a valid media service. Returns its URL. */
export async function startBadService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers every request like this. */
export const always =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** A service that holds every request until the test lets it answer. */
export async function startSilentService(answer = always(200, [])) {
  const held: (() => void)[] = [];
  const state = { isSilent: true, asked: 0 };
  const url = await startBadService((request, response) => {
    state.asked += 1;
    const reply = (): void => answer(request, response);
    if (state.isSilent) held.push(reply);
    else reply();
  });
  const wake = (): void => {
    state.isSilent = false;
    for (const reply of held.splice(0)) reply();
  };
  return { url, state, held, wake };
}
