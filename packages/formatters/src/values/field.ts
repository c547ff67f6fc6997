/** What stands in a field of its own. Whatever is no object has none. */
export function fieldOf(thing: unknown, field: string): unknown {
  return typeof thing === "object" && thing !== null && Object.hasOwn(thing, field)
    ? (thing as Record<string, unknown>)[field]
    : undefined;
}
