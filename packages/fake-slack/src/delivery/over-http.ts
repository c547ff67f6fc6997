import { createHmac } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { parsed } from "../json.js";
import type { World } from "../world/model.js";
import { type Attempt, contentOf, type OutgoingDelivery, type Retry } from "./outgoing.js";

interface AppResponse {
  readonly status: number;
  readonly body: unknown;
  readonly noRetry: boolean;
}

/** Sends it once to the app's request URL, signed. */
export async function sendOverHttp(
  world: World,
  url: string,
  delivery: OutgoingDelivery,
  retry: Retry | undefined,
): Promise<Attempt> {
  const { type, body } = encoded(world, delivery);
  const timestamp = Math.floor(world.now() / 1000);
  const headers = {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    accept: "*/*",
    "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": signatureOf(world.app.signingSecret, timestamp, body),
    ...(retry && { "x-slack-retry-num": retry.number, "x-slack-retry-reason": retry.reason }),
  };

  const timeout = AbortSignal.timeout(world.patience.answerWithinMs);
  const signal = AbortSignal.any([timeout, world.stopped]);
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  try {
    const { status, body: answered, noRetry } = await post(url, headers, body, signal);
    const isTaken = status >= 200 && status < 300;
    return { status, body: answered, ms: since(), failure: isTaken ? undefined : "http_error", isFinal: noRetry };
  } catch {
    const failure = timeout.aborted ? "http_timeout" : "connection_failed";
    return { status: 0, body: undefined, ms: since(), failure, isFinal: false };
  }
}

function encoded(world: World, delivery: OutgoingDelivery): { type: string; body: string } {
  const content = contentOf(world, delivery);
  if (delivery.kind === "event") return { type: "application/json", body: JSON.stringify(content) };
  const fields: Iterable<[string, string]> =
    delivery.kind === "interactive"
      ? [["payload", JSON.stringify(content)]]
      : Object.entries(content).map(([name, value]) => [name, String(value)]);
  return { type: "application/x-www-form-urlencoded", body: new URLSearchParams([...fields]).toString() };
}

async function post(
  url: string,
  headers: Readonly<Record<string, string | number>>,
  body: string,
  signal: AbortSignal,
): Promise<AppResponse> {
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A new connection each time: a kept one might lead to an app that has restarted since.
    request(url, { method: "POST", headers, agent: false, signal }, resolve).on("error", reject).end(body);
  });
  return {
    status: response.statusCode ?? 0,
    body: decoded(response.headers["content-type"], await text(response)),
    noRetry: response.headers["x-slack-no-retry"] === "1",
  };
}

/** JSON if the header says so, else text; undefined if the body is empty. */
function decoded(type: string | undefined, body: string): unknown {
  if (body === "") return undefined;
  return type?.startsWith("application/json") ? parsed(body) : body;
}

/** The value of `x-slack-signature`. */
function signatureOf(signingSecret: string, timestamp: number, body: string): string {
  return `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}
