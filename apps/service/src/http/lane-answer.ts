import type { ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { toRefusal } from "./create-app.js";
import type { Sendable } from "./send-answer.js";

/** An answer that is given past the framework. */
export interface LaneAnswer extends Sendable {
  readonly status: number;
}

/** What the caller is told of whatever was thrown; a fault of ours is logged. */
export function refusalAnswer(
  error: unknown,
  { requestId, bodyLimit, log }: { requestId: string; bodyLimit: number; log: FastifyBaseLogger },
): LaneAnswer {
  const refusal = toRefusal(error, bodyLimit);
  const { status, headers, cause } = refusal;
  if (status >= 500 && cause !== undefined) log.error({ request_id: requestId, err: cause }, "a call failed");
  return {
    status,
    headers: { ...headers, "content-type": "application/problem+json; charset=utf-8" },
    body: JSON.stringify(refusal.toProblem(requestId)),
  };
}

/** Sends an answer with the headers that all have: as a list, which Node writes as it is and need not go through twice. */
export function endWith(
  response: ServerResponse,
  { status, headers, body }: LaneAnswer,
  { requestId, isStopping }: { requestId: string; isStopping: boolean },
): void {
  const list = ["x-request-id", requestId, "cache-control", "no-store"];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  list.push("content-length", String(Buffer.byteLength(body)));
  if (isStopping) list.push("connection", "close");
  response.writeHead(status, list).end(body);
}

/** Logs that an answer could not be given, which must not end the process, and ends the connection. */
export function failedToAnswer(error: unknown, response: ServerResponse, log: FastifyBaseLogger): void {
  log.error({ err: error }, "a call could not be answered");
  response.destroy();
}
