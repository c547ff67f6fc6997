import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isUnavailable } from "@media-ops/database";
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { redact } from "../secrets/redact.js";
import { AnswerLog } from "./answer-log.js";
import type { Caller } from "./gate.js";
import { parseJsonBody, uncompressed } from "./json-body.js";
import { RawRefusals } from "./raw-refusal.js";
import { Refusal, unavailable } from "./refusal.js";
import { shownUrl } from "./shown-url.js";

/** What keeps slow and greedy clients from holding the service up. */
export interface HttpLimits {
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
  /**
   * How many calls without a good key an address may make in a minute.
   * @default 300
   */
  wrongKeysPerMinute?: number;
}

/** Options of {@link createApp}. */
export interface AppOptions {
  log: FastifyBaseLogger;
  limits?: HttpLimits;
  /** Whether the service is about to stop. */
  isStopping(): boolean;
  /** What an address that leads nowhere is told. */
  notFound(request: FastifyRequest): Refusal;
  /** Told of every answer, once it has been given. */
  onAnswered?(answered: Answered): void | Promise<void>;
  /** Takes a call past the framework, which costs time, or does otherwise, and leaves it to the framework. */
  fastLane?: FastLane;
}

/** What a fast lane can do with a call but answer it. */
export interface FastLaneWays {
  /** Leaves it to the framework. */
  otherwise(): void;
  /** Tells that it has been answered. */
  answered(answered: Answered): void;
}

/** Answers a call by itself, or does otherwise. */
export type FastLane = (request: IncomingMessage, response: ServerResponse, ways: FastLaneWays) => void;

/** A call that has been answered. */
export interface Answered {
  /** The operation's path, or what stands before the query. */
  readonly path: string;
  /** Path and query, as they were called. */
  readonly url: string;
  readonly request: IncomingMessage;
  /** Whose call it is, if a gate has let it in. */
  readonly caller?: Caller;
  readonly status: number;
  readonly elapsedMs: number;
}

export type App = FastifyInstance;

// Many times what any request has.
export const MAX_BODY_BYTES = 65_536;
// As long as all headers together may be.
const MAX_ADDRESS = 16_384;
// A name or an address, and a port, as RFC 3986 writes them: what has other characters would stand so in the API log.
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;
const KNOWN_REQUEST_ID = /^[\w.-]{1,128}$/;

/** What all listeners have in common: ids, limits, strict JSON, and a problem for everything that goes wrong. */
export function createApp(options: AppOptions): App {
  const fail = (error: unknown): void => {
    options.log.error({ err: error }, "an answer was given, but could not be recorded");
  };
  const tell = (answered: Answered): void => {
    try {
      options.onAnswered?.(answered)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  const refusals = new RawRefusals((request, status, elapsedMs) => {
    const { url = "", method } = request;
    options.log.info({ method, url: shownUrl(url), status }, "refused");
    tell({ path: pathIn(url), url, request, status, elapsedMs });
  });
  const app: App = fastify({
    ...serverOptions(options.limits),
    loggerInstance: options.log,
    clientErrorHandler: (error, socket) => refusals.brokenRequest(error, socket),
  });
  const answered = (one: Answered): void => {
    if (!refusals.hasRefused(one.request)) tell(one);
  };
  if (options.fastLane) openFastLane(app.server, options.fastLane, answered);
  refusals.watch(app.server);
  readBodies(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store" });
    if (options.isStopping()) throw unavailable("The service is shutting down. Try again in 2 seconds.", 2);
    const fault = hostFault(request.raw);
    if (fault !== undefined) throw new Refusal("bad-request", fault);
    // Here, and not when the body has been read: what leads nowhere needs none, and is not refused for it.
    if (request.is404) throw options.notFound(request);
  });
  app.addHook("onSend", async (_, reply) => {
    if (options.isStopping()) reply.header("connection", "close");
  });
  app.addHook("onResponse", async (request, { statusCode: status, elapsedTime: elapsedMs }) => {
    const { routeOptions, url, raw } = request;
    answered({ path: routeOptions.url ?? pathIn(url), url, request: raw, status, elapsedMs });
  });
  app.setErrorHandler(sendError);
  return app;
}

function openFastLane(server: Server, fastLane: FastLane, answered: FastLaneWays["answered"]): void {
  const frameworks = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const otherwise = (): void => {
      for (const listener of frameworks) listener.call(server, request, response);
    };
    fastLane(request, response, { otherwise, answered });
  });
}

function serverOptions(limits: HttpLimits = {}) {
  return {
    logController: new AnswerLog(),
    childLoggerFactory: (log) => log,
    genReqId: requestIdOf,
    rewriteUrl: toOriginForm,
    // What stands in an address is looked at where it is used, however long it is.
    routerOptions: { maxParamLength: MAX_ADDRESS },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: limits.requestTimeoutMs ?? 30_000,
    http: {
      headersTimeout: limits.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: limits.checkEveryMs ?? 2000,
      // Its absence is answered by a hook, with a problem.
      requireHostHeader: false,
      // Of two Host or Authorization headers Node would keep the first, and a proxy may have looked at the last: joined,
      // they are no host and no key.
      joinDuplicateHeaders: true,
    },
    // Answered by a hook too, in our own words.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  } satisfies FastifyHttpOptions<Server>;
}

function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    return parseJsonBody(uncompressed(request.headers, body));
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (_: FastifyRequest, body: Buffer) => {
    if (body.length > 0) throw notJson();
  });
}

/** What stands before the query. */
export const pathIn = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

/** What is wrong with the host that a request names; undefined where nothing is. */
export function hostFault({ headers: { host }, httpVersion }: IncomingMessage): string | undefined {
  if (host) return HOST.test(host) ? undefined : "The Host header names no host. Send one such as media.example:8080.";
  if (httpVersion === "1.0") return undefined;
  return "The request has no Host header. Send one; every HTTP client does by itself.";
}

/** An address as proxies are sent it (`http://host/path`), in the form in which all others come. */
function toOriginForm({ url = "" }: IncomingMessage): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]+(?=\/)/i, "");
}

/** The id that a caller gives its call, if it can be one; a new one otherwise. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && KNOWN_REQUEST_ID.test(given) && redact(given) === given ? given : randomUUID();
}

const notJson = (): Refusal =>
  new Refusal("unsupported-media-type", "The request body must be JSON. Send it with Content-Type: application/json.");

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(error, request.routeOptions.bodyLimit ?? MAX_BODY_BYTES);
  if (refusal.status >= 500 && refusal.cause !== undefined) {
    request.log.error({ request_id: request.id, err: refusal.cause }, "a call failed");
  }
  return reply
    .code(refusal.status)
    .headers({ ...refusal.headers, "x-request-id": request.id })
    .type("application/problem+json")
    .send(JSON.stringify(refusal.toProblem(request.id)));
}

const sizeOf = (bytes: number): string => (bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`);

/** Whatever was thrown, as what the caller is told. */
export function toRefusal(error: unknown, bodyLimit: number): Refusal {
  if (error instanceof Refusal) return error;
  const { code = "", statusCode = 500 } = (error instanceof Error ? error : {}) as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new Refusal("payload-too-large", `The request body is larger than ${sizeOf(bodyLimit)}. Send less.`);
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return notJson();
  if (code === "FST_ERR_BAD_URL") {
    return new Refusal("bad-request", "The address holds a % that is followed by no two hex digits. Mend the address.");
  }
  if (statusCode < 500) return new Refusal("bad-request", "The request could not be read. Send it again, whole.");
  if (isUnavailable(error)) {
    return unavailable("The database cannot be reached now. Try again in 5 seconds.", 5, { cause: error });
  }
  return new Refusal("internal-error", "The service failed to answer. The fault is in its log under the request id.", {
    cause: error,
  });
}
