import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import type { World } from "../world/world.js";

interface TakenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Starts an app that records its requests, and responds as configured; it repeats the last response. */
export async function startStubApp(world: World, answers: readonly (StubAnswer | "hang" | "break")[]) {
  const taken: TakenRequest[] = [];
  const { url, close: stop } = await serveHttp(async (request, response) => {
    const answer = answers[Math.min(taken.length, answers.length - 1)];
    taken.push({ headers: request.headers, body: await text(request) });
    if (answer === "break") request.socket.destroy();
    else if (answer !== "hang" && answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  onTestFinished(stop);
  world.app.requestUrl = `${url}/slack/events`;
  return { taken, stop };
}
