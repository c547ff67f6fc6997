export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of what may be an object, or of what is in it. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** The same, where it is a text; else an empty one. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === "string" ? found : "";
}
