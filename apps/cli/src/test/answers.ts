import type { IncomingMessage, ServerResponse } from "node:http";
import { createFakeMediaService, type FakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import type { AtEnd } from "./service.js";

/** Starts a server that sends these answers instead of the service. Returns its address. */
export async function startAnswering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const { url, close } = await serveHttp(
    (request, response) => void request.resume().once("end", () => answer(request, response)),
  );
  atEnd(close);
  return url;
}

const FIVE_LOGS = /^\/orgs\/list-(?:session|connection|api|media-api|webhook)-logs\b/;

/** Starts a service with the six operations only, whose logs all have these entries. Returns its address. */
export function startPlainService(entries: () => readonly unknown[]): Promise<string> {
  return startAnswering(({ url = "" }, response) => {
    if (FIVE_LOGS.test(url)) return json(response, entries());
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

/** Serves the SDK's fake of the service. Its settings are those of a user of the project "demo". */
export async function startFakeService(
  options?: FakeMediaServiceOptions,
  atEnd: AtEnd = onTestFinished,
): Promise<FakeMediaService & { env: Record<string, string> }> {
  const fake = createFakeMediaService(options);
  const { url, close } = await serveHttp(async (request, response) => {
    const chunks = await request.toArray();
    const { method = "POST", headers } = request;
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const address = `http://media.test${request.url}`;
    const answer = await fake.fetch(address, { method, headers: sent, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  atEnd(close);
  const env = { MEDIA_BASE_URL: url, MEDIA_API_KEY: fake.clientOptions.apiKey, MEDIA_PROJECT_ID: "demo" };
  return { ...fake, env };
}
