import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { extensionOperations, intakeOperations, type Node, operations, resolve, schemas } from "./contract.js";

const ajv = new Ajv2020({ strict: true, allErrors: true, keywords: ["components"], allowUnionTypes: true });
addFormats.default(ajv);
ajv.addSchema(schemas);
const compiled = new Map<string, ValidateFunction>();

/** Returns a validator for a schema: one named in the contract's components, or an inline one. */
export function validator(schema: string | Node): ValidateFunction {
  const text = JSON.stringify(
    typeof schema === "string" ? { $ref: `media.yaml#/components/schemas/${schema}` } : schema,
  );
  const known = compiled.get(text);
  if (known) return known;
  const validate = ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  return validate;
}

/** A response as received over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/**
 * Returns the violations of the contract in an operation's answer, or nothing if it is valid. An unknown path is
 * checked like any operation, because its answers are problems too.
 */
export function faultsOf(path: string, answer: Answer): string[] {
  const all = [...operations, ...extensionOperations, ...intakeOperations];
  const responses = (all.find((known) => known.path === path) ?? all[0])?.operation.responses ?? {};
  const described = resolve(responses[String(answer.status)] ?? responses.default ?? {});
  const [type = "", content = {}] = Object.entries(described.content ?? {})[0] ?? [];
  return [...headerFaults(described, answer), ...bodyFaults(type, content, answer)];
}

function headerFaults(described: Node, { headers, status }: Answer): string[] {
  return Object.entries(described.headers ?? {}).flatMap(([name, reference]) => {
    const header = resolve(reference);
    const value = headers.get(name);
    const required: unknown = header.required;
    if (value === null) return required === true ? [`${status} has no ${name}`] : [];
    const isValid = validator(header.schema ?? {});
    const typeOf: unknown = header.schema?.type;
    return isValid(typeOf === "integer" ? Number(value) : value) ? [] : [`${status}: ${name} may not be ${value}`];
  });
}

function bodyFaults(type: string, content: Node, { headers, status, text }: Answer): string[] {
  const sent = headers.get("content-type") ?? "";
  if (sent.split(";")[0] !== type) return [`${status} is ${sent || "without a type"}, not ${type}`];
  try {
    const isValid = validator(content.schema ?? {});
    isValid(JSON.parse(text));
    return (isValid.errors ?? []).map((error) => `${status}: ${error.instancePath} ${error.message}`);
  } catch {
    return [`${status} is no JSON: ${text.slice(0, 100)}`];
  }
}
