import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { redact } from "../secrets/redact.js";
import { AnswerLog } from "./answer-log.js";
import { parseJsonBody } from "./json-body.js";
import { refuseBrokenRequest, refuseConnect, refuseExpectation } from "./raw-refusal.js";
import { Refusal } from "./refusal.js";

/** What keeps slow and greedy clients from holding the service up. */
export interface HttpLimits {
  /** @default 65_536 */
  bodyBytes?: number;
  /**
   * How long the headers of a request may take.
   * @default 10_000
   */
  headersTimeoutMs?: number;
  /**
   * How long a whole request may take to arrive.
   * @default 30_000
   */
  requestTimeoutMs?: number;
  /**
   * How often that is looked after.
   * @default 2000
   */
  checkEveryMs?: number;
}

/** Options of {@link createApp}. */
export interface AppOptions {
  log: FastifyBaseLogger;
  limits?: HttpLimits;
  /** Whether the service is about to stop. */
  isStopping(): boolean;
  /** What an address that leads nowhere is told. */
  notFound(request: FastifyRequest): Refusal;
}

export type App = FastifyInstance;

const KNOWN_REQUEST_ID = /^[\w.-]{1,128}$/;

/** What all listeners have in common: ids, limits, strict JSON, and a problem for everything that goes wrong. */
export function createApp({ log, limits = {}, isStopping, notFound }: AppOptions): App {
  const app: App = fastify({
    loggerInstance: log,
    logController: new AnswerLog(),
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes ?? 65_536,
    requestTimeout: limits.requestTimeoutMs ?? 30_000,
    http: {
      headersTimeout: limits.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: limits.checkEveryMs ?? 2000,
      // Its absence is answered below, with a problem.
      requireHostHeader: false,
    },
    // Answered below too, in our own words.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });
  app.server.on("checkExpectation", refuseExpectation);
  app.server.on("connect", refuseConnect);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncoding(request);
    return parseJsonBody(body);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (_: FastifyRequest, body: Buffer) => {
    if (body.length > 0) throw notJson();
  });

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("cache-control", "no-store");
    if (isStopping()) {
      throw new Refusal("service-unavailable", "The service is shutting down. Try again in 2 seconds.", {
        headers: { "retry-after": "2" },
      });
    }
    if (request.raw.httpVersion === "1.1" && !request.headers.host) {
      throw new Refusal("bad-request", "The request has no Host header. Send one; every HTTP client does by itself.");
    }
  });
  app.addHook("onSend", async (_request, reply) => {
    if (isStopping()) reply.header("connection", "close");
  });
  app.setNotFoundHandler((request) => {
    throw notFound(request);
  });
  app.setErrorHandler(sendError);
  return app;
}

/** The path that was called, without what follows a `?`. */
export function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && KNOWN_REQUEST_ID.test(given) && redact(given) === given ? given : randomUUID();
}

function refuseEncoding({ headers }: FastifyRequest): void {
  if ((headers["content-encoding"] ?? "identity") === "identity") return;
  throw new Refusal("unsupported-media-type", "The request body must not be compressed. Send it as it is.");
}

const notJson = (): Refusal =>
  new Refusal("unsupported-media-type", "The request body must be JSON. Send it with Content-Type: application/json.");

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(error);
  if (refusal.status >= 500 && refusal.cause !== undefined) {
    request.log.error({ err: refusal.cause }, "a call failed");
  }
  return reply
    .code(refusal.status)
    .headers({ ...refusal.headers, "x-request-id": request.id })
    .type("application/problem+json")
    .send(JSON.stringify(refusal.toProblem(request.id)));
}

const unreachableDatabase = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN)/;

/** Whatever was thrown, as what the caller is told. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code = "", statusCode = 500 } = (error instanceof Error ? error : {}) as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new Refusal("payload-too-large", "The request body is larger than 64 KiB. Send less.");
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return notJson();
  if (code === "FST_ERR_BAD_URL") {
    return new Refusal("bad-request", "The address holds a % that is followed by no two hex digits. Mend the address.");
  }
  if (statusCode < 500) return new Refusal("bad-request", "The request could not be read. Send it again, whole.");
  if (unreachableDatabase.test(code)) {
    return new Refusal("service-unavailable", "The database cannot be reached now. Try again in 5 seconds.", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  }
  return new Refusal("internal-error", "The service failed to answer. The fault is in its log under the request id.", {
    cause: error,
  });
}
