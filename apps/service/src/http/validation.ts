import { schemas } from "@media-ops/openapi/contract";
import { nearest } from "@media-ops/settings/command-line";
import { isDateTime, isUuid } from "@media-ops/tokens";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { ProblemError } from "../generated/media.js";
import { badInput, MAX_ERRORS } from "../refusal.js";
import { escapePointer } from "./json-body.js";

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  keywords: ["components"],
  allowUnionTypes: true,
});
// By the same rules by which tokens are made.
ajv.addFormat("date-time", isDateTime);
ajv.addFormat("uuid", isUuid);
for (const format of ["int64", "uri-reference"]) ajv.addFormat(format, true);
ajv.addSchema(schemas);

/** Validates a request body by a schema of a contract; the function throws a refusal with all faults. */
export function bodyValidator<Body>($ref: string): (body: unknown) => Body {
  const isValid = ajv.compile<Body>({ $ref });
  return (body) => {
    if (isValid(body)) return body;
    throw badInput(toFaults(isValid.errors ?? []));
  };
}

/** One sentence for each invalid part of the body. */
function toFaults(errors: readonly ErrorObject[]): ProblemError[] {
  const faults = new Map<string, string>();
  for (const error of errors) {
    if (faults.size > MAX_ERRORS) break;
    const pointer = pointerOf(error);
    if (!faults.has(pointer)) faults.set(pointer, sentence(error));
  }
  return [...faults].map(([pointer, detail]) => ({ pointer, detail }));
}

/** JSON pointer to the fault: for a missing or unknown member, to that member. */
function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  const member = keyword === "required" ? params.missingProperty : params.additionalProperty;
  return member === undefined ? instancePath : `${instancePath}/${escapePointer(String(member))}`;
}

function sentence({ keyword, params, parentSchema = {} }: ErrorObject): string {
  if (keyword === "additionalProperties") return unknownMember(String(params.additionalProperty), parentSchema);
  if (keyword === "required") return "Is required.";
  const { type, format, enum: values, minimum, maximum, minLength, maxLength } = parentSchema;
  if (Array.isArray(values)) return `Must be one of ${values.join(", ")}.`;
  if (format === "date-time") return "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.";
  if (format === "uuid") return "Must be a UUID such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11.";
  if (keyword === "pattern" && params.pattern === "@[^@]+$") return "Must be <channel_name>@<project_id>.";
  if (type === "integer") return `Must be a whole number from ${minimum} to ${maximum}.`;
  if (keyword === "minLength" || keyword === "maxLength") {
    return `Must have from ${minLength ?? 0} to ${maxLength} characters.`;
  }
  if (type === "string") return "Must be a string.";
  if (type === "boolean") return "Must be true or false.";
  return type === "object" ? "Must be a JSON object." : "Is not valid.";
}

function unknownMember(name: string, { properties }: Readonly<Record<string, unknown>>): string {
  const known = Object.keys(properties ?? {});
  const meant = nearest(name, known);
  return meant === undefined
    ? `Is not a known field. Known: ${known.join(", ")}.`
    : `Is not a known field. Did you mean ${meant}?`;
}
