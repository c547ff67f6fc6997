import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { operations as Extensions, operations as Operations, ProblemError } from "@media-ops/contract";
import { extensionOperations, operations, referenceOf, resolve, schemas } from "@media-ops/openapi/contract";
import { nearest } from "@media-ops/settings/command-line";
import { isDateTime, isUuid } from "@media-ops/tokens";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { badInput, MAX_ERRORS, Refusal } from "../refusal.js";
import { redact } from "../secrets/redact.js";
import type { ApiCaller } from "./api-gate.js";
import type { Action, Answer, Gate } from "./route.js";

type All = Operations & Extensions;

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

/** The route of a contract operation, for calls with a valid body that has no secret but the token to check. */
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

const JSON_TYPE = /^application\/json *(?:;|$)/i;

/** Reads the body of a call. Throws a refusal if it is too large, cut off or compressed, or if its type is not JSON. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const body = await collectBody(request, maxBytes);
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!JSON_TYPE.test(type)) {
    // curl -X POST -d '' sends the type of a form, and means no body.
    if (body.length === 0) return body;
    const detail = "The request body must be JSON. Send it with Content-Type: application/json.";
    throw new Refusal("unsupported-media-type", detail);
  }
  if (encoding.toLowerCase() === "identity") return body;
  throw new Refusal("unsupported-media-type", "The request body must not be compressed. Send it as it is.");
}

/** Collects a body. Each byte is copied only a few times, and the number of chunks costs no memory. */
export function collectBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const length = Number(request.headers["content-length"] ?? 0);
  return new Promise((done, failed) => {
    let body: Buffer = Buffer.alloc(0);
    let filled = 0;
    if (request.destroyed) failed(cutOff());
    request.on("error", () => failed(cutOff()));
    request.on("end", () => done(body.subarray(0, filled)));
    request.on("data", (chunk: Buffer) => {
      const needed = filled + chunk.length;
      if (needed > maxBytes) failed(tooLarge(maxBytes));
      else if (chunk.length === length) body = chunk;
      else {
        if (needed > body.length) {
          const larger = Buffer.allocUnsafe(Math.max(length, needed, Math.min(2 * body.length, maxBytes)));
          body.copy(larger, 0, 0, filled);
          body = larger;
        }
        chunk.copy(body, filled);
      }
      filled = Math.min(needed, maxBytes);
    });
  });
}

const cutOff = (): Refusal => new Refusal("bad-request", "The connection ended before the whole request had arrived.");

function tooLarge(maxBytes: number): Refusal {
  const size = maxBytes < 2 ** 20 ? `${maxBytes / 2 ** 10} KiB` : `${maxBytes / 2 ** 20} MiB`;
  // The connection ends with the answer, so the rest of the body is not read.
  const headers = { connection: "close" };
  return new Refusal("payload-too-large", `The request body is larger than ${size}. Send less.`, { headers });
}

const decoder = new TextDecoder();

// Far more than any request needs; without a limit, recursion over a value could overflow the stack.
const MAX_DEPTH = 32;

/** Parses JSON strictly. A blank body is refused: a client that lost its options would get a token without limits. */
export function parseJsonBody(bytes: Buffer, maxValues: number = Number.POSITIVE_INFINITY): unknown {
  if (bytes.length === 0) return undefined;
  checkUtf8(bytes);
  const text = decoder.decode(bytes);
  if (/^[ \t\r\n]*$/.test(text)) {
    throw badInput([{ pointer: "", detail: "Must be JSON, but is blank. Send {} or no body at all." }]);
  }
  const value = readJson(text);
  const faults = structureFaults(text, maxValues);
  if (faults.length > 0) throw badInput(faults);
  return value;
}

/** Refuses bytes that are not UTF-8. */
export function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw badInput([{ pointer: "", detail: "Must be JSON in UTF-8, but has other bytes." }]);
}

/** @throws {Refusal} with the fault. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput([{ pointer: "", detail: `Must be JSON, but ${syntaxFault(error)}.` }]);
  }
}

// The engine's message may contain a part of the body, which may be a secret; only the position is reported.
function syntaxFault(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.includes("Unexpected end")) return "it ends too early";
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return `it has an unexpected character at position ${Number(position) + 1}`;
  const [, token] = /^Unexpected token '?(.)/u.exec(message) ?? [];
  return token === undefined ? "it is malformed" : `it has an unexpected ${JSON.stringify(token)}`;
}

interface Level {
  readonly pointer: string;
  /** The members so far; undefined in an array. */
  readonly members: Set<string> | undefined;
  at: string | number;
}

function structureFaults(text: string, maxValues: number): ProblemError[] {
  const faults: ProblemError[] = [];
  const levels: Level[] = [];
  let expectsName = false;
  let values = 1;
  // One more than a problem lists is enough.
  for (let i = 0; i < text.length && faults.length <= MAX_ERRORS; i++) {
    const level = levels.at(-1);
    switch (text[i]) {
      case "{":
      case "[":
        if (levels.length === MAX_DEPTH) {
          return [{ pointer: pointerIn(level), detail: `Must not be nested deeper than ${MAX_DEPTH} levels.` }];
        }
        expectsName = text[i] === "{";
        levels.push({ pointer: pointerIn(level), members: expectsName ? new Set() : undefined, at: 0 });
        break;
      case "}":
      case "]":
        levels.pop();
        expectsName = false;
        break;
      case ",":
        expectsName = level?.members !== undefined;
        values += 1;
        if (values > maxValues) return [{ pointer: "", detail: `Must have at most ${maxValues} values in all.` }];
        if (typeof level?.at === "number") level.at += 1;
        break;
      case '"': {
        const end = endOfString(text, i);
        if (expectsName && level?.members) {
          const name: string = JSON.parse(text.slice(i, end + 1));
          level.at = name;
          if (level.members.has(name)) faults.push({ pointer: pointerIn(level), detail: "Must occur only once." });
          level.members.add(name);
          expectsName = false;
        }
        i = end;
      }
    }
  }
  return faults;
}

function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end;
}

const pointerIn = (level: Level | undefined): string =>
  level ? `${level.pointer}/${escapePointer(String(level.at))}` : "";

/** A member's name, escaped for a JSON pointer. */
function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** @throws {Refusal} if a member looks like a secret, which would be kept and shown. A token to check is neither. */
export function checkNoSecret(body: object): void {
  const all = JSON.stringify(body);
  if (redact(all) === all) return;
  const detail = "Must not contain a key, a token, a password or another secret: it would be kept and shown.";
  const texts = Object.entries(body).map((member) => [member[0], JSON.stringify(member)] as const);
  const secret = texts.filter(([name, text]) => name !== "access_token" && redact(text) !== text);
  if (secret.length > 0) throw badInput(secret.map(([name]) => ({ pointer: `/${escapePointer(name)}`, detail })));
}

let ajv: Ajv2020 | undefined;

function contractAjv(): Ajv2020 {
  if (ajv) return ajv;
  ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    keywords: ["components"],
    allowUnionTypes: true,
  });
  // The same rules as for creating tokens.
  ajv.addFormat("date-time", isDateTime);
  ajv.addFormat("uuid", isUuid);
  for (const format of ["int64", "uri-reference"]) ajv.addFormat(format, true);
  return ajv.addSchema(schemas);
}

/** Validates a body by a schema, which is compiled for the first one: compiling all would delay the start. */
export function bodyValidator<Body>(schema: string | object): (body: unknown) => Body {
  let isValid: ValidateFunction<Body> | undefined;
  return (body) => {
    isValid ??=
      typeof schema === "string" ? contractAjv().getSchema<Body>(schema) : contractAjv().compile<Body>(schema);
    if (!isValid) throw new Error(`The contract has no schema ${schema}.`);
    const short = shortened(body);
    if ((short === body || isValid(short)) && isValid(body)) return body;
    throw badInput(toFaults(isValid.errors ?? []));
  };
}

// For each invalid item, the validator copies all faults so far. So many items have more faults than a problem lists.
const MAX_ITEMS = 2 * MAX_ERRORS;

/** A copy of a value with the first items of its lists, or the value itself if these are all. */
function shortened(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  const members = Array.isArray(value) ? value : Object.values(value);
  const short = (Array.isArray(value) ? value.slice(0, MAX_ITEMS) : members).map((one) => shortened(one, depth + 1));
  if (short.length === members.length && short.every((one, at) => one === members[at])) return value;
  return Array.isArray(value) ? short : Object.fromEntries(Object.keys(value).map((name, at) => [name, short[at]]));
}

function toFaults(errors: readonly ErrorObject[]): ProblemError[] {
  const faults = new Map<string, string>();
  for (const error of withoutAlternatives(errors)) {
    if (faults.size > MAX_ERRORS) break;
    const pointer = pointerOf(error);
    if (!faults.has(pointer)) faults.set(pointer, sentence(error));
  }
  return [...faults].map(([pointer, detail]) => ({ pointer, detail }));
}

/** One sentence names all types that a value may have, unless it has one of them and a fault of its own. */
function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === "anyOf" ? [instancePath] : [])));
  if (choices.size === 0) return errors;
  const others = errors.filter(({ keyword, instancePath }) => keyword !== "type" || !choices.has(instancePath));
  const explained = new Set<string>();
  for (const { keyword, instancePath } of others) {
    if (keyword === "anyOf") continue;
    for (let path = instancePath; !explained.has(path); path = path.slice(0, Math.max(path.lastIndexOf("/"), 0))) {
      explained.add(path);
    }
  }
  return others.filter(({ keyword, instancePath }) => keyword !== "anyOf" || !explained.has(instancePath));
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  const member = keyword === "required" ? params.missingProperty : params.additionalProperty;
  return member === undefined ? instancePath : `${instancePath}/${escapePointer(String(member))}`;
}

function sentence({ keyword, params, parentSchema = {} }: ErrorObject): string {
  if (keyword === "additionalProperties") return unknownMember(String(params.additionalProperty), parentSchema);
  if (keyword === "required") return "Is required.";
  const { type, format, enum: values, examples } = parentSchema;
  const range = (least: unknown, most: unknown): string => `from ${least ?? 0} to ${most}`;
  if (keyword === "anyOf") return `Must be ${oneOrMore(parentSchema.anyOf)}.`;
  if (keyword === "minProperties") return `Must have one of ${Object.keys(parentSchema.properties ?? {}).join(", ")}.`;
  if (keyword === "minItems" || keyword === "maxItems") {
    return `Must have ${range(parentSchema.minItems, parentSchema.maxItems)} items.`;
  }
  if (keyword === "uniqueItems") return "Must have each item only once.";
  if (Array.isArray(values)) return `Must be one of ${values.join(", ")}.`;
  if (format === "date-time") return "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.";
  if (format === "uuid") return "Must be a UUID such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11.";
  if (keyword === "pattern" && params.pattern === "@[^@]+$") return "Must be <channel_name>@<project_id>.";
  if (keyword === "pattern") return "Must be well-formed Unicode without NUL.";
  if (type === "integer") return `Must be a whole number ${range(parentSchema.minimum, parentSchema.maximum)}.`;
  if (keyword === "minLength" || keyword === "maxLength") {
    return `Must have ${range(parentSchema.minLength, parentSchema.maxLength)} characters.`;
  }
  if (type === "string") return "Must be a string.";
  if (type === "number") return "Must be a number.";
  if (type === "array") return "Must be a list.";
  if (type === "boolean") return "Must be true or false.";
  if (type !== "object") return "Is not valid.";
  const [example] = Array.isArray(examples) ? examples : [];
  return example === undefined ? "Must be a JSON object." : `Must be a JSON object such as ${JSON.stringify(example)}.`;
}

function oneOrMore([one]: readonly { readonly type?: string }[]): string {
  return one?.type === undefined ? "of another form" : `a ${one.type} or a list of ${one.type}s`;
}

function unknownMember(name: string, { properties }: Readonly<Record<string, unknown>>): string {
  const known = Object.keys(properties ?? {});
  const meant = nearest(name, known);
  const hint = meant === undefined ? `Known: ${known.join(", ")}.` : `Did you mean ${meant}?`;
  return `Is not a known field. ${hint}`;
}
