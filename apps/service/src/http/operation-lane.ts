import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import { logAnswer } from "./answer-log.js";
import { collectBody } from "./collect-body.js";
import { type FastLane, type FastLaneWays, hostFault, MAX_BODY_BYTES, requestIdOf } from "./create-app.js";
import type { Caller } from "./gate.js";
import { parseJsonBody } from "./json-body.js";
import { endWith, failedToAnswer, type LaneAnswer, refusalAnswer } from "./lane-answer.js";
import type { OperationRoute } from "./operations.js";
import { toSendable } from "./send-answer.js";
import type { WrongKeys } from "./wrong-keys.js";

/** Options of {@link createOperationLane}. */
export interface OperationLaneOptions {
  readonly routes: readonly OperationRoute[];
  readonly log: FastifyBaseLogger;
  readonly wrongKeys: WrongKeys;
  isStopping(): boolean;
  /** Whether calls are turned away. */
  isOverloaded(): boolean;
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** A call as programs make it, with a key that is good. */
interface PlainCall {
  readonly route: OperationRoute;
  readonly caller: Caller;
}

/**
 * Answers the calls of the operations without the framework, which would cost more than the rest of the work. What is
 * unusual in any way is left to the framework before its body is read.
 */
export function createOperationLane(options: OperationLaneOptions): FastLane {
  const routes = new Map(options.routes.map((route) => [route.path, route]));
  return (request, response, ways) => {
    const route = routes.get(request.url ?? "");
    const caller = route && isPlain(request, route, options) && route.gate.known(request.headers, request.socket);
    if (!caller) options.wrongKeys.pass(request, response, ways);
    else new Exchange({ route, caller }, { request, response, ways, options }).begin();
  };
}

function isPlain(request: IncomingMessage, { method }: OperationRoute, options: OperationLaneOptions): boolean {
  const { headers } = request;
  return (
    request.method === method &&
    Number(headers["content-length"] ?? Number.NaN) <= MAX_BODY_BYTES &&
    JSON_TYPE.test(headers["content-type"] ?? "") &&
    headers["content-encoding"] === undefined &&
    hostFault(request) === undefined &&
    !options.isStopping() &&
    !options.isOverloaded()
  );
}

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ways: FastLaneWays;
  readonly options: OperationLaneOptions;
}

/** One call on its way through the lane. */
class Exchange {
  readonly #call: PlainCall;
  readonly #parts: ExchangeParts;
  readonly #requestId: string;
  readonly #since = performance.now();
  #allowance: Readonly<Record<string, string>> | undefined;
  /** Whose call it is, once the gate has let it in. */
  #caller: Caller | undefined;

  constructor(call: PlainCall, parts: ExchangeParts) {
    this.#call = call;
    this.#parts = parts;
    this.#requestId = requestIdOf(parts.request);
  }

  /** Counts the call, and reads its body. */
  begin(): void {
    const { request } = this.#parts;
    try {
      this.#allowance = this.#call.route.gate.count(this.#call.caller);
      this.#caller = this.#call.caller;
    } catch (error) {
      request.resume();
      this.#refuse(error);
      return;
    }
    collectBody(request, (body) => {
      this.#answer(body).catch((error) => failedToAnswer(error, this.#parts.response, this.#parts.options.log));
    });
    // It came to no end: nobody is there to be answered.
    request.on("error", () => this.#tell(400));
  }

  async #answer(body: Buffer): Promise<void> {
    const { route, caller } = this.#call;
    const { request } = this.#parts;
    let answer: LaneAnswer;
    try {
      const given = await route.answer(caller, parseJsonBody(body));
      answer = { status: 200, ...(await toSendable(given, request.headers["accept-encoding"])) };
    } catch (error) {
      this.#refuse(error);
      return;
    }
    this.#end(answer);
  }

  #refuse(error: unknown): void {
    const { log } = this.#parts.options;
    this.#end(refusalAnswer(error, { requestId: this.#requestId, bodyLimit: MAX_BODY_BYTES, log }));
  }

  #end({ status, headers, body }: LaneAnswer): void {
    const { response, options } = this.#parts;
    const all = this.#allowance ? { ...this.#allowance, ...headers } : headers;
    endWith(response, { status, headers: all, body }, { requestId: this.#requestId, isStopping: options.isStopping() });
    this.#tell(status);
  }

  #tell(status: number): void {
    const { request, ways, options } = this.#parts;
    const { path } = this.#call.route;
    const elapsedMs = performance.now() - this.#since;
    logAnswer(options.log, {
      request_id: this.#requestId,
      method: request.method,
      url: request.url,
      status,
      ms: elapsedMs,
    });
    ways.answered({ path, url: path, request, status, elapsedMs, ...(this.#caller && { caller: this.#caller }) });
  }
}
