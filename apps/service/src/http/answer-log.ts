import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** One line for each answer instead of two for each request; calls that went well are for those who look for more. */
export class AnswerLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: "request_id" });
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override defaultErrorLog(): void {}

  override requestCompleted(_: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode: status, elapsedTime } = reply;
    const line = { method: request.method, url: request.url, status, ms: Math.round(elapsedTime * 10) / 10 };
    if (status < 400) request.log.debug(line, "answered");
    else if (status < 500) request.log.info(line, "refused");
    else request.log.warn(line, "failed");
  }
}
