import type { IncomingMessage, ServerResponse } from "node:http";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";

/** Starts a server that sends these answers instead of the service. Returns its address. */
export async function startAnswering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const { url, close } = await serveHttp(
    (request, response) => void request.resume().once("end", () => answer(request, response)),
  );
  onTestFinished(close);
  return url;
}

/** Sends this JSON with status 200. */
export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
