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

/** Starts a service with the six operations only, whose logs all have these entries. Returns its address. */
export function startPlainService(entries: () => readonly unknown[]): Promise<string> {
  return startAnswering(({ url = "" }, response) => {
    if (url.startsWith("/orgs/list-")) return json(response, entries());
    const problem = {
      type: "about:blank",
      title: "Not found",
      status: 404,
      detail: "No such operation.",
      request_id: "",
    };
    response.writeHead(404, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
  });
}

/** Sends this JSON with status 200. */
export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
