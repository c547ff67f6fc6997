import type { IncomingMessage } from "node:http";
import { operations as described, type Operation, referenceOf, resolve } from "@media-ops/openapi/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { operations } from "../generated/media.js";
import { keepConnection } from "./connection-limits.js";
import { type App, pathIn } from "./create-app.js";
import type { AskedGate, Caller, Gate } from "./gate.js";
import { Refusal } from "./refusal.js";
import { type ReadyAnswer, sendAnswer } from "./send-answer.js";
import { bodyValidator } from "./validation.js";

export type OperationId = keyof operations;

/** An operation that lists a log. */
export type LogOperationId = Extract<OperationId, `list${string}Logs`>;

type RequestOf<Id extends OperationId> = NonNullable<operations[Id]["requestBody"]>["content"]["application/json"];
type AnswerOf<Id extends OperationId> = operations[Id]["responses"][200]["content"]["application/json"];

/** A call whose key and body are in order. */
interface Call<Body> extends Caller {
  readonly body: Body;
}

/** What each operation does. A listing comes from the store as it is sent. */
export type Handlers = {
  readonly [Id in OperationId]: (
    call: Call<RequestOf<Id>>,
  ) => Promise<AnswerOf<Id> extends readonly unknown[] ? ReadyAnswer : AnswerOf<Id>>;
};

const callers = new WeakMap<IncomingMessage, Caller>();

/** Whose call it is; undefined for one that its gate has not let in. */
export function callerOf(request: IncomingMessage): Caller | undefined {
  return callers.get(request);
}

/** A route's hook that keeps the gate before the body is read: whoever has no key does not get to send one. */
export function behind(gate: AskedGate): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const caller = await gate.callerOf(request.headers);
    reply.headers(gate.count(caller) ?? {});
    callers.set(request.raw, caller);
    keepConnection(request.raw.socket);
  };
}

/** Whose call it is that came through the gate. */
export function passedBy({ raw, routeOptions }: FastifyRequest): Caller {
  const caller = callerOf(raw);
  if (!caller) throw new Error(`A call of ${routeOptions.url} came past the gate.`);
  return caller;
}

/** The way to the media server's API: none of the operations, but called like them. */
export const mediaApiPath = "/media-api";

/** The addresses that are called by POST. */
export const operationPaths: ReadonlySet<string> = new Set([...described.map(({ path }) => path), mediaApiPath]);

/** What a call is told that no route takes. */
export function notFound({ method, url }: FastifyRequest): Refusal {
  const path = pathIn(url);
  if (operationPaths.has(path) && method !== "POST") {
    return new Refusal("method-not-allowed", "This operation takes POST only.", { headers: { allow: "POST" } });
  }
  return new Refusal("not-found", `There is nothing at ${path}. GET /openapi.yaml lists the operations.`);
}

/** An operation of the contract, as it is called. */
export interface OperationRoute {
  readonly path: string;
  readonly method: string;
  readonly gate: Gate;
  /**
   * Checks a body by the contract's schema, and does what the operation does.
   *
   * @throws {Refusal}
   */
  answer(caller: Caller, body: unknown): Promise<object>;
}

/** Every operation of the contract, and what it does. */
export function operationRoutes(handlers: Handlers, gateOf: (id: OperationId) => Gate): OperationRoute[] {
  return described.map((operation) => {
    const id = String(operation.operation.operationId);
    if (!isOperationId(id, handlers)) throw new Error(`The contract has an operation ${id} that nothing handles.`);
    return toRoute(operation, id, handlers, gateOf(id));
  });
}

function isOperationId(id: string, handlers: Handlers): id is OperationId {
  return Object.hasOwn(handlers, id);
}

function toRoute<Id extends OperationId>(
  { path, method, operation }: Operation,
  id: Id,
  handlers: Handlers,
  gate: Gate,
): OperationRoute {
  const schema = resolve(operation.requestBody ?? {}).content?.["application/json"]?.schema ?? {};
  const validate = bodyValidator<RequestOf<Id>>(referenceOf(schema) ?? "");
  return {
    path,
    method: method.toUpperCase(),
    gate,
    // No body means no options. A body of null is another thing, and refused.
    answer: async ({ key, credential }, body) =>
      handlers[id]({ key, credential, body: validate(body === undefined ? {} : body) }),
  };
}

/** Puts every operation on its address. */
export function registerOperations(app: App, routes: readonly OperationRoute[]): void {
  for (const { path, method, gate, answer } of routes) {
    app.route({
      method,
      url: path,
      onRequest: behind(gate),
      handler: async (request, reply) => sendAnswer(await answer(passedBy(request), request.body), request, reply),
    });
  }
}
