import { isUnavailable } from "@media-ops/database";
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { messageOf } from "../text/message-of.js";
import { shownUrl } from "./shown-url.js";

/** A call that has been answered, as the log tells of it. */
export interface AnswerLine {
  readonly request_id: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** Logs an answer. Calls that went well are for those who look for more. */
export function logAnswer(log: FastifyBaseLogger, line: AnswerLine): void {
  if (line.status < 400 && log.level !== "debug" && log.level !== "trace") return;
  const told = { ...line, url: shownUrl(line.url ?? ""), ms: Math.round(line.ms * 10) / 10 };
  if (line.status < 400) log.debug(told, "answered");
  else if (line.status < 500) log.info(told, "refused");
  else log.warn(told, "failed");
}

/** Logs why a call failed: with its stack, unless the database cannot be used, which is no fault of the call's code. */
export function logFailure(log: FastifyBaseLogger, requestId: string, cause: unknown): void {
  if (!isUnavailable(cause)) log.error({ request_id: requestId, err: cause }, "a call failed");
  else log.warn({ request_id: requestId, reason: messageOf(cause) }, "the database could not be used for a call");
}

/**
 * One line for each answer instead of two for each request. It names its request itself: a log of its own for each request
 * would cost more than the line.
 */
export class AnswerLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override defaultErrorLog(): void {}

  override requestCompleted(_: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { id: request_id, method, url } = request;
    logAnswer(request.log, { request_id, method, url, status: reply.statusCode, ms: reply.elapsedTime });
  }
}
