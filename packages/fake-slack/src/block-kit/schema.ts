// The building blocks of the schemas, with faults in Slack's words if those are known.
import * as z from "zod";
import { fieldOf, itemsOf } from "../json.js";

/** Records the fault of an object, at a path inside it. */
type Fault = (message: string, ...path: PropertyKey[]) => void;

/**
 * A text of `min` to `max` characters. Slack does not document how it counts an emoji. UTF-16 units are the largest
 * count in question: a text that fits by them fits by any other.
 */
export const text = (max = Number.POSITIVE_INFINITY, min = 1) =>
  z
    .string()
    .refine(({ length }) => length >= min, { error: `must be more than ${min - 1} characters`, abort: true })
    .refine(({ length }) => length <= max, { error: `must be less than ${max + 1} characters`, abort: true });

/** An optional boolean. */
export const flag = z.boolean().optional();

/** A URL, up to Slack's limit. */
export const url = text(3000).refine((given) => URL.canParse(given), "invalid url");

/** An optional `block_id` or `action_id`. */
export const id = text(255).optional();

/** A list of 1 to `max` items. */
export const list = <Item extends z.ZodType>(item: Item, max: number) => z.array(item).min(1).max(max);

/** An object with this `type`, without any other fields. */
export const typed = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });

/** A rule about several fields of one object; runs only if each field is valid. */
export function also<T>(rule: (object: T, fault: Fault) => void): z.core.CheckFn<T> {
  return ({ value, issues }) => {
    if (issues.length > 0) return;
    rule(value, (message, ...path) => issues.push({ code: "custom", message, path, input: value, continue: true }));
  };
}

/** No two items of a list may have the same text in a field. */
export function uniqueIn(listName: string, name: string) {
  return also<object>((object, fault) => {
    const values = itemsOf(fieldOf(object, listName)).map((item) => fieldOf(item, name));
    refuseRepeated(values, name, (message, index) => fault(message, listName, index, name));
  });
}

/** Records each text that equals an earlier one, with its index. */
export function refuseRepeated(
  values: readonly unknown[],
  name: string,
  fault: (message: string, index: number) => void,
): void {
  for (const [index, value] of values.entries()) {
    if (typeof value !== "string" || values.indexOf(value) === index) continue;
    fault(`\`${name}\` "${value}" already exists`, index);
  }
}

/** A fault as Slack reports it. */
export function faultAt(message: string, pointer: string, path: readonly PropertyKey[]): string {
  return `${message} [json-pointer:${[pointer, ...path].join("/")}]`;
}

/** The faults of a value at a JSON pointer. */
export function faultsOf(schema: z.ZodType, value: unknown, pointer: string): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => {
    const { path, input } = issue;
    const name = path.at(-1);
    // An unknown type is reported with the whole object as its input.
    const given = issue.code === "invalid_union" ? fieldOf(input, "type") : input;
    if (given === undefined && name !== undefined && issue.code !== "custom") {
      return [faultAt(`missing required field: ${String(name)}`, pointer, path.slice(0, -1))];
    }
    return messagesOf(issue, given).map((message) => faultAt(message, pointer, path));
  });
}

const EXPECTED: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "a boolean",
  int: "an integer",
  number: "a number",
  object: "an object",
  string: "a string",
};

function messagesOf(issue: z.core.$ZodIssue, given: unknown): string[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => `invalid additional property: ${key}`);
    case "invalid_type":
      return [`must provide ${EXPECTED[issue.expected]}`];
    case "invalid_value":
      return [typeof given === "string" ? "must be a valid enum value" : "must provide a string"];
    case "invalid_union":
      return [typeof given === "string" ? unmodelled(given) : "must provide a string"];
    case "too_small":
      if (issue.origin === "array") return [`no less than ${issue.minimum} items allowed`];
      return [`must be greater than ${issue.inclusive ? Number(issue.minimum) - 1 : issue.minimum}`];
    case "too_big":
      if (issue.origin === "array") return [`no more than ${issue.maximum} items allowed`];
      return [`must be less than ${Number(issue.maximum) + 1}`];
    default:
      return [issue.message];
  }
}

/** The message for a type that is unknown in some position. */
export function unmodelled(type: string): string {
  return `unsupported type: ${type}, or fake-slack does not model it here`;
}
