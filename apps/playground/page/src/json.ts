import { isObject } from "../../src/json.js";

/** An object inside a block. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the objects in a value that may be a list. */
export function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns the text of a text object, with its markup. */
export function labelIn(value: unknown): string {
  return isObject(value) ? stringIn(value.text) : "";
}
