import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
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

/** Passes a request with this body on to the fake of the service, and sends its answer. */
export async function answerBy(
  { fetch }: FakeMediaService,
  { url, method = "POST", headers }: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const answer = await fetch(`http://media.test${url}`, { method, headers: sent, body });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}

/** The settings of a user of the fake's project "demo". */
export const settingsOf = ({ clientOptions }: FakeMediaService, url: string): Record<string, string> => ({
  MEDIA_BASE_URL: url,
  MEDIA_API_KEY: clientOptions.apiKey,
  MEDIA_PROJECT_ID: "demo",
});

/** Serves the SDK's fake of the service. Its settings are those of a user of the project "demo". */
export async function startFakeService(
  options?: FakeMediaServiceOptions,
  atEnd: AtEnd = onTestFinished,
): Promise<FakeMediaService & { env: Record<string, string> }> {
  const fake = createFakeMediaService(options);
  const { url, close } = await serveHttp(async (request, response) =>
    answerBy(fake, request, await text(request), response),
  );
  atEnd(close);
  return { ...fake, env: settingsOf(fake, url) };
}
