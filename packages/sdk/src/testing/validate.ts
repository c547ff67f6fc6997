import type { CountLogsRequest, ProblemError } from "@media-ops/contract";
import { logPaths } from "@media-ops/contract";
import { requests, type Schema, schemas } from "@media-ops/contract/requests";
import { parseTimestamp, timeKey } from "../time.js";

// The contract's limit.
const MAX_FAULTS = 100;

/** The faults of a request body, by the contract and by the rules that no schema can say. */
export function faultsOf(path: string, body: unknown, hasSearches: boolean): ProblemError[] {
  const schema = resolve(requests[path] ?? {});
  // A service with the six operations only lists without conditions.
  const isPlain = !hasSearches && Object.values<string>(logPaths).includes(path);
  const { project_id = {} } = schema.properties ?? {};
  const faults = faultsIn(body, isPlain ? { ...schema, properties: { project_id } } : schema, "");
  return (faults.length > 0 ? faults : ruleFaults(body)).slice(0, MAX_FAULTS);
}

function ruleFaults(body: unknown): ProblemError[] {
  const { kind, where, by, since, until, channel, channel_id }: Record<string, unknown> = { ...Object(body) };
  if (typeof channel_id === "string" && new TextEncoder().encode(channel_id).length > 255) {
    return [{ pointer: "/channel_id", detail: "Must have at most 255 bytes." }];
  }
  if (channel !== undefined && channel_id !== undefined) {
    return [{ pointer: "/channel", detail: "Is not allowed together with channel_id." }];
  }
  const [start, end] = [timeKey(since), timeKey(until)];
  if (start && end && start >= end) return [{ pointer: "/until", detail: "Must be later than since." }];
  // Which fields there are depends on the log that is counted.
  const path =
    typeof kind === "string" && Object.hasOwn(logPaths, kind) ? logPaths[kind as CountLogsRequest["kind"]] : "";
  const known = resolve(requests[path] ?? {}).properties?.where;
  if (!known) return [];
  const fields = Object.keys(resolve(known).properties ?? {});
  const unknown = [by ?? []].flat().findIndex((field) => !fields.includes(String(field)));
  if (unknown >= 0) return [{ pointer: `/by/${unknown}`, detail: `Must be one of: ${fields.join(", ")}.` }];
  return where === undefined ? [] : faultsIn(where, known, "/where");
}

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolve(schemas[schema.$ref] ?? {});
}

/** The faults of a value by a schema. */
function faultsIn(value: unknown, given: Schema, pointer: string): ProblemError[] {
  const schema = resolve(given);
  const fault = (detail: string): ProblemError[] => [{ pointer, detail }];
  const { enum: choices, anyOf } = schema;
  if (anyOf) {
    const each = anyOf.map((one) => faultsIn(value, one, pointer));
    return each.find(({ length }) => length === 0) ?? each.at(Array.isArray(value) ? -1 : 0) ?? [];
  }
  if (!isOfType(value, schema.type)) return fault(`Must be of type ${schema.type}.`);
  if (choices && !choices.includes(value)) return fault(`Must be one of: ${choices.join(", ")}.`);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isWithin = (size: number, min = 0, max = Number.POSITIVE_INFINITY): boolean => size >= min && size <= max;
  if (typeof value === "number" && !isWithin(value, minimum, maximum)) {
    return fault(`Must be from ${minimum} to ${maximum}.`);
  }
  if (typeof value === "string") {
    // Code points, as in JSON Schema.
    const { length } = [...value];
    if (!isWithin(length, minLength, maxLength)) {
      return fault(`Must have from ${minLength} to ${maxLength} characters, but has ${length}.`);
    }
    if (pattern && !new RegExp(pattern, "u").test(value)) {
      const isChannel = given.$ref === "ChannelId";
      return fault(`Must be ${isChannel ? "<channel_name>@<project_id>" : `a text that matches ${pattern}`}.`);
    }
    if (format === "date-time" && !parseTimestamp(value)) {
      return fault("Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.");
    }
    if (format === "uuid" && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return fault("Must be a UUID.");
  }
  if (Array.isArray(value)) {
    const { items = {}, minItems, maxItems, uniqueItems } = schema;
    if (!isWithin(value.length, minItems, maxItems)) return fault(`Must have ${minItems} to ${maxItems} items.`);
    if (uniqueItems && new Set(value).size < value.length) return fault("Must not have an item twice.");
    return value.flatMap((item, index) => faultsIn(item, items, `${pointer}/${index}`));
  }
  if (schema.type !== "object") return [];
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const members = Object.entries(Object(value));
  const known = Object.keys(properties).join(", ");
  const missing = required.filter((name) => !Object.hasOwn(Object(value), name));
  if (members.length < minProperties) return fault(`Must have one of: ${known}.`);
  return [
    ...missing.map((name) => ({ pointer: `${pointer}/${name}`, detail: "Must be given." })),
    ...members.flatMap(([name, member]) => {
      const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return own ? faultsIn(member, own, at) : [{ pointer: at, detail: `Is not a known field. Known: ${known}.` }];
    }),
  ];
}

function isOfType(value: unknown, type: string | undefined): boolean {
  if (type === undefined) return true;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
