/** A JSON object of which only some members matter. */
export type Json = { readonly [name: string]: unknown };

/** The object that a text holds; undefined where it holds none. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
