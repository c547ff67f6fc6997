import { operations as described, type Operation, referenceOf, resolve } from "@media-ops/openapi/contract";
import type { operations } from "../generated/media.js";
import type { ApiCaller } from "./api-gate.js";
import { bodyValidator, parseJsonBody } from "./json-body.js";
import type { Action, Gate } from "./route.js";
import { jsonAnswer, type ReadyAnswer, readyAnswer } from "./route.js";

/** The name of an operation in the contract. */
export type OperationId = keyof operations;

/** An operation that lists a log. */
export type LogOperationId = Extract<OperationId, `list${string}Logs`>;

type RequestOf<Id extends OperationId> = NonNullable<operations[Id]["requestBody"]>["content"]["application/json"];
type AnswerOf<Id extends OperationId> = operations[Id]["responses"][200]["content"]["application/json"];

/** A call of an operation with a good key and a valid body. */
interface OperationCall<Body> extends ApiCaller {
  readonly body: Body;
}

/** What each operation does. The text of a listing comes ready from the store. */
export type Handlers = {
  readonly [Id in OperationId]: (
    call: OperationCall<RequestOf<Id>>,
  ) => Promise<AnswerOf<Id> extends readonly unknown[] ? ReadyAnswer : AnswerOf<Id>>;
};

// Many times the size of any valid request.
export const MAX_BODY_BYTES = 65_536;

/** The routes of all operations of the contract. */
export function operationRoutes(handlers: Handlers, gateOf: (id: OperationId) => Gate<ApiCaller>): Action<ApiCaller>[] {
  return described.map((operation) => {
    const id = String(operation.operation.operationId);
    if (!isOperationId(id, handlers)) throw new Error(`The contract has an operation ${id} without a handler.`);
    if (operation.method !== "post") throw new Error(`The operation ${id} must be called by POST.`);
    return toRoute(operation, id, handlers, gateOf(id));
  });
}

function isOperationId(id: string, handlers: Handlers): id is OperationId {
  return Object.hasOwn(handlers, id);
}

function toRoute<Id extends OperationId>(
  { path, operation }: Operation,
  id: Id,
  handlers: Handlers,
  gate: Gate<ApiCaller>,
): Action<ApiCaller> {
  const schema = resolve(operation.requestBody ?? {}).content?.["application/json"]?.schema ?? {};
  const validate = bodyValidator<RequestOf<Id>>(referenceOf(schema) ?? "");
  return {
    method: "POST",
    path,
    maxBytes: MAX_BODY_BYTES,
    gate,
    async answer({ request }, { key, credential }, bytes) {
      const body = parseJsonBody(bytes);
      // No body means no options, but a body of null is refused.
      const answer = await handlers[id]({ key, credential, body: validate(body === undefined ? {} : body) });
      return isReady(answer) ? readyAnswer(answer, request.headers["accept-encoding"]) : jsonAnswer(answer);
    },
  };
}

function isReady(answer: object): answer is ReadyAnswer {
  return "gzipped" in answer;
}
