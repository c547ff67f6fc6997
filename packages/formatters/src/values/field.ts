/** What stands in a field of its own. Whatever is no object has none, and what throws when it is read is not there. */
export function fieldOf(thing: unknown, field: string | undefined): unknown {
  try {
    return field !== undefined && typeof thing === "object" && thing !== null && Object.hasOwn(thing, field)
      ? (thing as Record<string, unknown>)[field]
      : undefined;
  } catch {
    return undefined;
  }
}

/** The names of all fields of its own; a list has none. */
export function fieldNamesOf(thing: unknown): string[] {
  try {
    return typeof thing === "object" && thing !== null && !Array.isArray(thing) ? Object.keys(thing) : [];
  } catch {
    return [];
  }
}

/** A value as JSON; `undefined` where JSON cannot write it, such as a cycle, a function, or what throws when it is read. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
