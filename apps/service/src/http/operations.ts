import type { IncomingMessage } from "node:http";
import type { operations as All } from "@media-ops/contract";
import { extensionOperations, operations, referenceOf, resolve } from "@media-ops/openapi/contract";
import type { ApiCaller } from "./api-gate.js";
import { bodyValidator, checkNoSecret, parseJsonBody } from "./json-body.js";
import type { Action, Answer, Gate } from "./route.js";

/** The name of an operation in the contract or in its extensions that is called with a key. */
export type OperationId = Exclude<keyof All, "getSigningKeys">;

type RequestOf<Id extends OperationId> = NonNullable<All[Id]["requestBody"]>["content"]["application/json"];

/** A call of an operation with a good key and a valid body. */
export interface OperationCall<Id extends OperationId> extends ApiCaller {
  readonly body: RequestOf<Id>;
  readonly request: IncomingMessage;
  readonly requestId: string;
}

// Many times the size of any valid request.
export const MAX_BODY_BYTES = 65_536;
// More than any valid request has. The faults of so many are found in some milliseconds.
const MAX_VALUES = 1000;

const described = [...operations, ...extensionOperations];

/**
 * The route of a contract operation. `answer` receives the calls whose body is valid, and has no secret but the token to
 * check.
 *
 * @param validate Throws a refusal of an invalid body. @default by the contract's schema
 */
export function operationRoute<Id extends OperationId>(
  id: Id,
  gate: Gate<ApiCaller>,
  answer: (call: OperationCall<Id>) => Promise<Answer>,
  validate?: (body: unknown) => RequestOf<Id>,
): Action<ApiCaller> {
  const found = described.find(({ operation }) => String(operation.operationId) === id);
  if (found?.method !== "post") throw new Error(`The contract has no operation ${id} that is called by POST.`);
  const schema = resolve(found.operation.requestBody ?? {}).content?.["application/json"]?.schema ?? {};
  const toBody = validate ?? bodyValidator<RequestOf<Id>>(referenceOf(schema) ?? "");
  return {
    method: "POST",
    path: found.path,
    maxBytes: MAX_BODY_BYTES,
    gate,
    answer({ request, id: requestId }, { key, credential }, bytes) {
      const given = parseJsonBody(bytes, MAX_VALUES);
      // No body means no options, but a body of null is refused.
      const body = toBody(given === undefined ? {} : given);
      checkNoSecret(body);
      return answer({ key, credential, request, requestId, body });
    },
  };
}
