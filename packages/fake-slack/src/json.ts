import type { Json } from "./world/model.js";

/** Whether a value is an object, and not a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of a value that may be an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** The items of a value that may be a list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text, otherwise an empty text. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A value that may be passed as JSON; text that is not JSON is returned unchanged. */
export function parsed(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
