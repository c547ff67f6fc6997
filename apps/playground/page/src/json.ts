/** Something out of a block, of which nothing is known but that it is an object. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; none where it is no list. */
export function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** What a text object says, without its marks being read. */
export function labelIn(value: unknown): string {
  return isObject(value) ? stringIn(value.text) : "";
}
